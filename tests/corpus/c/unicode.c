// é
const char *s = "😀";
int f(void) { return 1; } /* ü */
