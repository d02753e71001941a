package hugot

// ReadTokenizer is for tests.
var ReadTokenizer = readTokenizer
