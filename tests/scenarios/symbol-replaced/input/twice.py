def f():
    pass


def f():
    return 1
