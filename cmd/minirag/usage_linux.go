package main

import (
	"bytes"
	"os"
	"strconv"
)

// residentMemory returns what the process has in memory, in bytes: in all, and
// what no file stands behind.
func residentMemory() (all, private int64) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for line := range bytes.Lines(data) {
		fields := bytes.Fields(line)
		if len(fields) != 3 { // "VmRSS:", a number, "kB"
			continue
		}
		n, err := strconv.ParseInt(string(fields[1]), 10, 64)
		if err != nil {
			continue
		}
		switch string(fields[0]) {
		case "VmRSS:":
			all = n << 10
		case "RssAnon:":
			private = n << 10
		}
	}
	return all, private
}
