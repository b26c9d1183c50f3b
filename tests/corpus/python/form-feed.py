x = 1

def f():
    pass

def g():
    pass
