# é
def f(): return '😀'


def é(): ...
