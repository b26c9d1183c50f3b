// a

/* b
 */
func f() {} // behind
/// g
func g() {}
