-- Next edits as a person sees them: after a change the next one is shown, jumped to and applied.
local check = require('check')
local equal, expect = check.equal, check.expect
local scripted = require('scripted')

local function call(i, name)
  return ('def f%d(x):\n    a = %d\n    b = a * %d\n    return %s(x) + b\n\n\n'):format(i, i, i, name)
end

local function calls(names)
  local text = {}
  for i, name in ipairs(names) do
    text[i] = call(i, name)
  end
  return table.concat(text)
end

local function open(start, text, settings)
  local nvim = start({
    server = scripted.start({ edits = { { find = 'old(', replace = 'fresh(' } } }),
    setup = vim.tbl_extend('force', { keymaps = true, ghost_text = false }, settings or {}),
  })
  nvim:open('a.py', text)
  return nvim
end

local function until_shown(nvim, text)
  nvim:wait(function() return nvim:shows(text) end, 'the text "' .. text .. '"')
end

local function lines(text)
  return vim.split((text:gsub('\n$', '')), '\n')
end

-- Whether a change of the text triggers a request.
local function is_looking(nvim)
  return nvim:lua([[local is_there, found = pcall(vim.api.nvim_get_autocmds, { group = 'redraft.next_edit', event = 'TextChanged' })
    return is_there and #found > 0]])
end

local function it_is_shown_gone_to_and_made(start)
  local nvim = open(start, calls({ 'old', 'old', 'old' }))
  expect(is_looking(nvim), 'changes lead to a search')
  nvim:keys('4Gfocwfresh<Esc>')
  until_shown(nvim, '    return fresh(x) + b')
  nvim:wait(function() return nvim:lua([[return require('redraft.next_edit').is_visible()]]) end, 'a proposal')
  equal(nvim:lines(), lines(calls({ 'fresh', 'old', 'old' }))) -- nothing has entered the buffer
  nvim:keys('<Tab>')
  equal(nvim:lua([[return vim.api.nvim_win_get_cursor(0)[1] ]]), 10)
  nvim:keys('<Tab>')
  nvim:wait_for_lines(lines(calls({ 'fresh', 'fresh', 'old' })))
  nvim:wait(function() return nvim:lua([[return require('redraft.next_edit').is_visible()]]) end, 'the next one')
  nvim:keys('<Tab><Tab>')
  nvim:wait_for_lines(lines(calls({ 'fresh', 'fresh', 'fresh' })))
  nvim:keys('u')
  nvim:wait_for_lines(lines(calls({ 'fresh', 'fresh', 'old' })))
end

local function a_place_out_of_sight_is_named(start)
  local names = {}
  for i = 1, 12 do
    names[i] = i == 12 and 'old' or 'other' .. i
  end
  names[1] = 'old'
  local nvim = open(start, calls(names))
  nvim:keys('4Gfocwfresh<Esc>')
  until_shown(nvim, 'redraft: the next change is at line 70')
  nvim:keys('<Tab>')
  equal(nvim:lua([[return vim.api.nvim_win_get_cursor(0)[1] ]]), 70)
end

local function what_is_turned_down_does_not_come_again(start)
  local nvim = open(start, calls({ 'old', 'old' }))
  nvim:keys('4Gfocwfresh<Esc>')
  nvim:wait(function() return nvim:lua([[return require('redraft.next_edit').is_visible()]]) end, 'a proposal')
  nvim:keys('\\rd')
  expect(not nvim:lua([[return require('redraft.next_edit').is_visible()]]), 'still there')
  nvim:command('RedraftNextEdit')
  nvim:wait_for_message('no next edit: all next edits were rejected before')
end

local function without_one_tab_is_tab(start)
  local nvim = open(start, 'a = 1\nb = 2\n')
  nvim:keys('ggGgg<C-O>')
  nvim:keys('<Tab>') -- to the newer place
  nvim:wait(function() return nvim:lua([[return vim.api.nvim_win_get_cursor(0)[1] ]]) == 1 end, 'the newer place')
end

local function it_can_be_off(start)
  local nvim = open(start, calls({ 'old', 'old' }), { next_edit = false })
  nvim:keys('4Gfocwfresh<Esc>')
  expect(not is_looking(nvim), 'changes lead to no search')
  expect(not nvim:lua([[return require('redraft.next_edit').is_visible()]]), 'it is shown')
  nvim:command('RedraftNextEdit')
  nvim:wait(function() return nvim:lua([[return require('redraft.next_edit').is_visible()]]) end, 'one that was asked for')
end

local function what_was_found_is_said(start)
  local nvim = open(start, 'def load(path, mode):\n    return path\n\n\nload("a", "r")\n')
  nvim:keys(':1s/path, mode/mode, path/<CR>')
  until_shown(nvim, 'load("r", "a")')
  until_shown(nvim, "the parameters of 'load' changed: 1 call found in the open files, 1 to change;")
  until_shown(nvim, 'syntax tree, without the model')
  nvim:keys('<Tab><Tab>')
  nvim:wait_for_lines({ 'def load(mode, path):', '    return path', '', '', 'load("r", "a")' })
end

local function where_nothing_follows_it_is_said_once(start)
  local nvim = open(start, 'def load(path, mode):\n    return path\n')
  nvim:lua([[Said = {}
    local say = require('redraft.say')
    local all = say.say
    say.say = function(text, ...) table.insert(Said, text) all(text, ...) end
    Answers = 0
    local question = require('redraft.question')
    local ask = question.ask
    question.ask = function(self, client, method, params, on_answer, ...)
      ask(self, client, method, params, function(...) on_answer(...) Answers = Answers + 1 end, ...)
    end]])
  nvim:keys(':1s/path, mode/mode, path/<CR>')
  nvim:wait_for_message("redraft: the parameters of 'load' changed: no call found in the open files")
  local n = nvim:lua('return Answers')
  nvim:keys('Gox = 1<Esc>')
  nvim:wait(function() return nvim:lua('return Answers') > n end, 'the next answer')
  equal(nvim:lua('return Said'), { "the parameters of 'load' changed: no call found in the open files" })
end

local function of_a_changed_text_nothing_is_made(start)
  local nvim = open(start, calls({ 'old', 'old' }))
  nvim:keys('4Gfocwfresh<Esc>')
  nvim:wait(function() return nvim:lua([[return require('redraft.next_edit').is_visible()]]) end, 'a proposal')
  nvim:command('set eventignore=TextChanged') -- as in a buffer that is not the current one
  nvim:lua([[vim.api.nvim_buf_set_lines(0, 0, 0, true, { '# new' })]])
  nvim:keys('<Tab><Tab>')
  nvim:wait_for_message('the text has changed since. :RedraftNextEdit searches again')
  equal(nvim:lines(), lines('# new\n' .. calls({ 'fresh', 'old' })))
end

-- In a file that is not open the place is named; it is opened on the way there.
local function it_is_found_in_a_file_that_is_not_open(start)
  local server = scripted.start({ edits = { { find = 'old(', replace = 'fresh(' } } })
  table.insert(server, '--index')
  local nvim = start({ server = server, setup = { keymaps = true, ghost_text = false } })
  vim.fn.mkdir(nvim.folder .. '/.git', 'p')
  vim.fn.writefile({ 'from a import load', '', 'load("a", "r")' }, nvim.folder .. '/other file.py')
  nvim:open('a.py', 'def load(path, mode):\n    return path\n')
  nvim:wait(function()
    local index = nvim:server_status().index
    return type(index) == 'table' and index.state == 'ready'
  end, 'the index')
  nvim:keys(':1s/path, mode/mode, path/<CR>')
  until_shown(nvim, 'redraft: the next change is at other file.py:3')
  equal(#nvim:lua('return vim.api.nvim_list_bufs()'), 1) -- nothing is opened unasked
  nvim:keys('<Tab>')
  until_shown(nvim, 'load("r", "a")')
  equal(nvim:lua([[return vim.api.nvim_win_get_cursor(0)[1] ]]), 3)
  nvim:keys('<Tab>')
  nvim:wait_for_lines({ 'from a import load', '', 'load("r", "a")' })
end

return {
  { 'it is found in a file that is not open', it_is_found_in_a_file_that_is_not_open },
  { 'a next edit is shown, gone to and made', it_is_shown_gone_to_and_made },
  { 'a place out of sight is named', a_place_out_of_sight_is_named },
  { 'what is turned down does not come again', what_is_turned_down_does_not_come_again },
  { 'without a next edit <Tab> is <Tab>', without_one_tab_is_tab },
  { 'next edits can be off', it_can_be_off },
  { 'what was found is said', what_was_found_is_said },
  { 'where nothing follows it is said once', where_nothing_follows_it_is_said_once },
  { 'of a changed text nothing is made', of_a_changed_text_nothing_is_made },
}
