def f(:
    return {{ name }}
  ( [ }
