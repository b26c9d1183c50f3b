import os
import sys


def load(path):
    # all of it
    return open(path).read()


def save(path, text):
    open(path, 'w').write(text)


def main():
    text = load('a')
    save('b', content)
