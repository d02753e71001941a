module github.com/minirag/minirag/internal/vec/internal/vek

go 1.26.0

replace github.com/minirag/minirag => ../../../..

require (
	github.com/minirag/minirag v0.0.0
	github.com/viterin/vek v0.4.3
)

require (
	github.com/chewxy/math32 v1.10.1 // indirect
	github.com/viterin/partial v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20251219203646-944ab1f22d93 // indirect
	golang.org/x/sys v0.50.0 // indirect
)
