def load(path, strict):
  if strict:
    check(path)
  data = read(path,
              strict)
  return data
