f() { echo é😀; }
g() { f; }