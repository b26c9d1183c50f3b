// license

class A {
    // of f
    // more
    void f() {} // behind

    /* g */ void g() {}
}
