-- Before the first edit: finding the program, and getting the model.
local check = require('check')
local equal, expect = check.equal, check.expect
local narrow = require('editor').narrow
local Program = require('program')

local nowhere = { PATH = '/usr/bin:/bin', SHELL = '/bin/sh', HOME = '/nonexistent' }
local edits = { { find = 'a = 1', replace = 'a = 2' } }

local function open(nvim, name, text)
  vim.fn.writefile(vim.split(text, '\n'), nvim.folder .. '/' .. name)
  nvim:command('edit ' .. nvim.folder .. '/' .. name)
end

local function health(nvim)
  nvim:command('checkhealth redraft')
  return table.concat(nvim:lines(), '\n')
end

local function expect_in(text, part)
  expect(text:find(part, 1, true), ('"%s" is not in:\n%s'):format(part, text))
end

local function the_login_shell_knows_where_it_is(start)
  local program = Program.new(edits)
  local nvim = start({ env = program:desktop() })
  open(nvim, 'a.py', 'a = 1')
  nvim:wait(function() return nvim:lua([[return #vim.lsp.get_clients({ bufnr = 0, name = 'redraft' })]]) == 1 end, 'the server')
  equal(nvim:lua('return vim.lsp.config.redraft.cmd'), { program.path, 'lsp' })
  nvim:keys(':%RedraftEdit two<CR>')
  nvim:wait_for_end(1)
  expect(not nvim:messages():find('not found', 1, true), nvim:messages())
end

local function it_is_found_for_an_edit_too(start)
  local program = Program.new(edits)
  local nvim = start({ env = program:desktop() })
  open(nvim, 'unknown', 'a = 1') -- no file type: the server does not start by itself
  nvim:keys(':%RedraftEdit two<CR>')
  nvim:wait_for_end(1)
end

local function number_in(file)
  local lines = vim.fn.filereadable(file) == 1 and vim.fn.readfile(file) or {}
  return tonumber(lines[1])
end

local function what_the_shell_leaves_behind_lives_on(start)
  local program = Program.new(edits)
  local nvim = start({ env = program:desktop('sleep 300 & echo $! >"$(dirname "$0")/left"') }) -- it holds the output open
  open(nvim, 'unknown', 'a = 1')
  nvim:keys(':%RedraftEdit two<CR>')
  nvim:wait_for_end(1)
  local left = number_in(program.folder .. '/left')
  equal(vim.uv.kill(left, 0), 0)
  vim.uv.kill(left, 'sigkill')
end

local function a_shell_that_does_not_answer_is_ended(start)
  for _, never in ipairs({ 'sleep 300', 'while :; do echo greetings; done' }) do
    local program = Program.new(edits)
    local nvim = start({ env = program:desktop('echo $$ >"$(dirname "$0")/shell.pid"; ' .. never) })
    for name, keys in pairs({ ['a.py'] = '', ['unknown'] = ':%RedraftEdit two<CR>' }) do -- Neovim waits for it, or does not
      open(nvim, name, 'a = 1')
      nvim:keys(keys)
      nvim:wait_for_message('cannot find the program "redraft"')
      nvim:lua([[require('redraft.say').last = nil vim.cmd('messages clear')]])
      local shell = number_in(program.folder .. '/shell.pid')
      nvim:wait(function() return vim.uv.kill(shell, 0) ~= 0 end, 'its end')
    end
  end
end

local function health_finds_it_there(start)
  local program = Program.new()
  local nvim = start({ env = program:desktop() })
  local report = health(nvim)
  expect_in(report, 'OK program: ' .. program.path .. ', found in the PATH of a login shell')
end

local function a_missing_one_is_reported_once(start)
  local nvim = start({ env = nowhere })
  open(nvim, 'a.py', 'a = 1')
  nvim:wait_for_message('cannot find the program "redraft". See :checkhealth redraft')
  nvim:command('messages clear')
  open(nvim, 'b.py', 'a = 1')
  nvim:keys(':RedraftPull<CR>')
  nvim:wait_for_message('redraft: cannot find the program "redraft"')
  equal(select(2, nvim:messages():gsub('cannot find the program', '')), 1)
  local report = health(nvim)
  expect_in(report, 'the program "redraft" is not in PATH, and not in the PATH of a login shell')
  expect_in(report, ('install it: see the section "Install" of %s/README.md'):format(nvim.root))
  expect(not report:find('make build', 1, true), report)
end

local function what_is_configured_last_counts(start)
  local program = Program.new(edits)
  local nvim = start({ env = nowhere })
  nvim:lua([[vim.lsp.config('redraft', { cmd = { ..., 'lsp' } })]], program.path)
  open(nvim, 'unknown', 'a = 1')
  nvim:keys(':%RedraftEdit two<CR>')
  nvim:wait_for_end(1)
  expect(not nvim:messages():find('not found', 1, true), nvim:messages())
  expect_in(health(nvim), 'OK program: ' .. program.path)
end

local function health_says_how_to_get_the_model(start)
  local program = Program.new()
  local nvim = start({ server = { program.path, 'lsp' } })
  local report = health(nvim)
  expect_in(report, 'ERROR the model middle is not downloaded')
  expect_in(report, ':RedraftPull downloads it: 1.0 GB, licence Apache-2.0')
  expect_in(report, 'in a terminal, use `redraft models pull middle`')
  program:has_model(true)
  report = health(nvim)
  expect_in(report, 'OK model: middle, /models/middle.gguf')
  expect_in(report, 'all is well here')
end

local function the_model_is_fetched(start)
  local program = Program.new()
  program:write('hold', '')
  local nvim = start(vim.tbl_extend('error', { server = { program.path, 'lsp' } }, narrow))
  nvim:keys(':RedraftPull<CR>')
  nvim:wait(function() return nvim:shows('middle: 1.0 GB, licence Apache-2.0') end, 'size and licence')
  expect(nvim:shows('into /models/middle.gguf') and nvim:shows('<CR> downloads it'), 'where, and how')
  equal(program:calls(), {})
  nvim:keys('<CR>')
  nvim:wait(function() return nvim:shows('250 MB of 1.0 GB downloaded, 25 %') end, 'the progress')
  expect(nvim:shows(('█'):rep(10) .. '░'), 'the bar')
  equal(nvim:status(), 'redraft: downloading the model, 25 %')
  nvim:keys('c')
  nvim:wait(function() return nvim:shows('cancelled') and program:calls()[2] == 'cancelled' end, 'the cancellation')
  program:write('hold_again', '')
  nvim:wait(function()
    nvim:keys('<CR>')
    return #program:calls() == 3
  end, 'it goes on')
  nvim:wait(function() return nvim:shows('25 %') end, 'the progress again')
  program:remove('hold')
  nvim:wait(function() return nvim:shows('500 MB of 1.0 GB checked, 50 %') end, 'the check')
  nvim:keys('q')
  nvim:wait(function() return not nvim:shows('checked') end, 'the window is closed')
  nvim:keys(':RedraftPull<CR>')
  nvim:wait(function() return nvim:shows('checked, 50 %') end, 'it is shown again')
  nvim:keys('<Esc>')
  nvim:wait(function() return not nvim:shows('checked') end, 'the window is closed again')
  program:remove('hold_again')
  nvim:wait_for_message('redraft: middle is downloaded. The next edit loads it')
  nvim:expect_no_question()
  equal(program:calls(), { 'models pull middle --format json', 'cancelled', 'models pull middle --format json' })
end

local function what_went_wrong_is_said(start)
  local program = Program.new()
  program:write('fails', '')
  local nvim = start(vim.tbl_extend('error', { server = { program.path, 'lsp' } }, narrow))
  nvim:keys(':RedraftPull middle<CR>')
  nvim:wait(function() return nvim:shows('<CR> downloads it') end, 'the window')
  nvim:keys('<CR>')
  nvim:wait(function() return nvim:shows('redraft: error: the line is down') end, 'the reason')
  expect(nvim:shows('<CR> tries again'), 'the way on')
  nvim:keys('q:RedraftPull small<CR>')
  nvim:wait_for_message('small is already downloaded')
  nvim:keys(':RedraftPull large<CR>')
  nvim:wait_for_message('unknown model "large"')
  expect(nvim:shows('Known models: middle,'), 'the names')
  nvim:expect_no_question()
end

return {
  { 'the login shell knows where the program is', the_login_shell_knows_where_it_is },
  { 'it is found for an edit too', it_is_found_for_an_edit_too },
  { 'what the shell leaves behind lives on', what_the_shell_leaves_behind_lives_on },
  { 'a shell that does not answer is ended', a_shell_that_does_not_answer_is_ended },
  { 'health finds it there', health_finds_it_there },
  { 'a missing program is reported, once', a_missing_one_is_reported_once },
  { 'what is configured last counts', what_is_configured_last_counts },
  { 'health says how to get the model', health_says_how_to_get_the_model },
  { 'the model is fetched', the_model_is_fetched },
  { 'what went wrong is said', what_went_wrong_is_said },
}
