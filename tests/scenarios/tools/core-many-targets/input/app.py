import os


def load(path):
    return open(path).read()


def save(path, text):
    open(path, 'w').write(text)


def main():
    text = load('a')
    save('b', text)
