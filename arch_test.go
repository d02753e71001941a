package minirag_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/minirag/minirag"

// A listed package is what "go list -deps -json" says of it.
type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

// packages returns all packages of the module by their path in it, "" being the root.
func packages(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports,Deps,Standard", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	found := map[string]listed{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		if rel, ok := inModule(p.ImportPath); ok {
			found[rel] = p
		}
	}
}

func inModule(importPath string) (string, bool) {
	if importPath == module {
		return "", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

func under(pkg string, parents ...string) bool {
	return slices.ContainsFunc(parents, func(p string) bool { return pkg == p || strings.HasPrefix(pkg, p+"/") })
}

// The leaves that define interfaces and types. Their sub-packages are
// implementations.
var leaves = []string{"chunk", "convert", "embed", "index", "search"}

// TestArrows keeps the direction of the imports between the packages.
func TestArrows(t *testing.T) {
	for pkg, p := range packages(t) {
		for _, imp := range p.Imports {
			to, ok := inModule(imp)
			if !ok {
				continue
			}
			if why := refused(pkg, to); why != "" {
				t.Errorf("%s imports %s: %s", cmpOr(pkg, "the root"), cmpOr(to, "the root"), why)
			}
		}
	}
}

func cmpOr(s, or string) string {
	if s == "" {
		return or
	}
	return s
}

func refused(from, to string) string {
	family := func(pkg string) string { first, _, _ := strings.Cut(pkg, "/"); return first }
	implementation := under(to, leaves...) && !slices.Contains(leaves, to) && !helper(to)
	switch {
	case under(from, "examples"), from == "internal/testcorpus":
		return ""
	case under(from, "internal"):
		if !under(to, "internal") && !slices.Contains(leaves, to) {
			return "internal packages import leaves at most"
		}
	case under(from, leaves...):
		switch {
		case to == "" || under(to, "local", "mcpserver", "cmd"):
			return "a leaf is below the root"
		case implementation && !under(to, from) && parent(to) != parent(from):
			return "a leaf imports no implementation of another"
		case implementation && family(to) != family(from):
			return "a leaf imports no implementation of another"
		}
	case from == "":
		if implementation || under(to, "local", "mcpserver", "cmd") {
			return "the root imports interfaces and light code only"
		}
	case under(from, "mcpserver"):
		if to != "" && !slices.Contains(leaves, to) && !under(to, "internal", "mcpserver") {
			return "the server gets its corpus from the caller"
		}
	case under(from, "eval"):
		if to != "" && !slices.Contains(leaves, to) {
			return "the evaluation gets its corpus from the caller"
		}
	case under(from, "local"):
		if under(to, "mcpserver", "cmd") {
			return "local only wires parts"
		}
	case under(from, "cmd"):
	default:
		return "the package is in no layer"
	}
	return ""
}

// helper reports whether a package below a leaf is for tests or shared by the
// leaf's implementations, and so is not one.
func helper(pkg string) bool {
	return strings.Contains(pkg, "/internal/") || strings.HasSuffix(pkg, "/analysis") ||
		slices.Contains([]string{"convert/converttest", "embed/embedtest", "index/indextest"}, pkg)
}

func parent(pkg string) string { return path.Dir(pkg) }

// TestLight keeps what is heavy out of programs that bring their own parts.
func TestLight(t *testing.T) {
	heavy := []string{
		module + "/embed/e5", module + "/embed/bert", module + "/local",
		"github.com/knights-analytics", "github.com/klippa-app", "github.com/tetratelabs/wazero",
		"modernc.org", "github.com/blugelabs", "github.com/modelcontextprotocol", "github.com/urfave",
	}
	all := packages(t)
	for _, tc := range []struct {
		pkg   string
		spare []string // heavy ones that it may have
	}{
		{"", nil},
		{"mcpserver", []string{"github.com/modelcontextprotocol"}},
		{"eval", nil},
		{"chunk", nil}, {"convert", nil}, {"embed", nil}, {"index", nil}, {"search", nil},
		{"embed/bert", []string{module + "/embed/bert"}},
	} {
		p, ok := all[tc.pkg]
		if !ok {
			t.Errorf("there is no package %s", cmpOr(tc.pkg, "in the root"))
		}
		for _, dep := range p.Deps {
			if under(dep, heavy...) && !under(dep, tc.spare...) {
				t.Errorf("%s links %s", cmpOr(tc.pkg, "the root"), dep)
			}
		}
	}
}

// TestFiles checks every Go file for what the house rules forbid.
func TestFiles(t *testing.T) {
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && file != "." && (name == "testdata" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(file, ".go") {
			checkFile(t, filepath.ToSlash(file))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkFile(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, data, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if ast.IsGenerated(f) || f.Name.Name == "main" && strings.Contains(string(data), "//go:build ignore") {
		return
	}
	if n := countLines(data); n > 500 {
		t.Errorf("%s has %d lines, more than 500", file, n)
	}
	if strings.HasSuffix(file, "_test.go") {
		return
	}
	if d := path.Dir(file); strings.HasSuffix(d, "test") || d == "internal/testcorpus" {
		return // a suite or a helper of tests
	}
	command := strings.HasPrefix(file, "cmd/") || strings.HasPrefix(file, "examples/") || f.Name.Name == "main"
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.Name == "init" {
				t.Errorf("%s: a function init", fset.Position(decl.Pos()))
			}
		case *ast.GenDecl:
			if decl.Tok == token.VAR {
				checkVars(t, fset, decl)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok || command {
			return true
		}
		switch x.Name + "." + sel.Sel.Name {
		case "os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv":
			t.Errorf("%s: reads the environment", fset.Position(n.Pos()))
		case "os.Stdout", "os.Stderr", "fmt.Print", "fmt.Printf", "fmt.Println", "log.Print", "log.Printf", "log.Println":
			t.Errorf("%s: writes to the standard streams", fset.Position(n.Pos()))
		}
		return true
	})
}

// checkVars refuses variables that look as if the program changes them: those
// without a value, of which only embedded files are right.
func checkVars(t *testing.T, fset *token.FileSet, decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		v := spec.(*ast.ValueSpec)
		if len(v.Values) > 0 || embedded(decl.Doc) || embedded(v.Doc) {
			continue
		}
		t.Errorf("%s: variable %s of the package", fset.Position(v.Pos()), v.Names[0].Name)
	}
}

func embedded(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}

func countLines(data []byte) int {
	n := 0
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		n++
	}
	return n
}
