# coding: latin-1
# é
def f():
    return 'ü'
