def t():
    return '''
```
old
```
'''


def f():
    return t()
