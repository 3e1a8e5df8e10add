-- nvim --clean -l run.lua PROGRAM FILE...: runs test files in the Neovim PROGRAM. Exit code 77: something required is
-- missing. A test file returns a list of { name, function(editors) ... end }.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
package.path = here .. '/?.lua;' .. package.path
local program = arg[1]

local passed, failed, skipped = 0, 0, 0

local function say(line)
  io.write(line, '\n')
  io.flush()
end

local function run(name, test)
  io.write(('%-66s '):format(name))
  io.flush()
  local began = vim.uv.hrtime()
  local started = {}
  local start = function(options) -- editors that a test starts are stopped after it
    local editor = require('editor').start(vim.tbl_extend('force', { program = program }, options))
    table.insert(started, editor)
    return editor
  end
  local ok, message = xpcall(test, function(problem)
    return type(problem) == 'table' and problem or tostring(problem) .. '\n' .. debug.traceback('', 2)
  end, start)
  if not ok and not (type(message) == 'table' and message.skip) then
    for _, editor in ipairs(started) do
      local seen, screen = pcall(editor.screen, editor)
      message = message .. '\n--- screen\n' .. (seen and table.concat(screen, '\n') or tostring(screen))
    end
  end
  for _, editor in ipairs(started) do
    editor:stop()
  end
  local seconds = (vim.uv.hrtime() - began) / 1e9
  if ok then
    passed = passed + 1
    say(('ok %5.2f s'):format(seconds))
  elseif type(message) == 'table' then
    skipped = skipped + 1
    say('SKIPPED: ' .. message.skip)
  else
    failed = failed + 1
    say(('FAILED %5.2f s\n%s'):format(seconds, message))
  end
end

for i = 2, #arg do
  for _, case in ipairs(dofile(arg[i])) do
    run(case[1], case[2])
  end
end
say(('%d passed, %d failed, %d skipped'):format(passed, failed, skipped))
os.exit(failed > 0 and 1 or (passed == 0 and 77 or 0))
