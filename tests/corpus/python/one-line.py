class A: x = 1; y = 2
def f(): pass; return 1
class B: pass
