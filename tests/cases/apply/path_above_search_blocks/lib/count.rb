def total(a)
  a.sum
end
