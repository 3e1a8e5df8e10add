-- The assertions of tests; the error names the line of the test.
local check = {}

function check.expect(condition, what)
  if not condition then
    error(what, 2)
  end
end

function check.equal(actual, expected)
  if not vim.deep_equal(actual, expected) then
    error('expected ' .. vim.inspect(expected) .. '\ngot ' .. vim.inspect(actual), 2)
  end
end

return check
