-- What the plugin says, on a narrow screen in a terminal: no message may wait for ENTER, and none is lost.
local check = require('check')
local equal, expect = check.equal, check.expect
local narrow = require('editor').narrow
local Program = require('program')
local scripted = require('scripted')

local function start_narrow(start, script, options)
  local server = script and scripted.start(script) or { Program.new().path, 'lsp' }
  return start(vim.tbl_extend('error', { server = server }, narrow, options or {}))
end

local function expect_on_screen(nvim, text)
  local screen = table.concat(nvim:screen(), '\n'):gsub('│\n[^│]*│', ' '):gsub('%s+', ' ')
  expect(screen:find(text, 1, true), ('"%s" is not on the screen:\n%s'):format(text, table.concat(nvim:screen(), '\n')))
end

local function say(nvim, text)
  nvim:lua([[local text = ... vim.schedule(function() require('redraft.say').say(text) end)]], text)
  nvim:wait(function() return nvim:lua([[return require('redraft.say').last]]) == 'redraft: ' .. text end, 'the message')
end

local function messages_of_any_length_fit(start)
  local nvim = start_narrow(start)
  for _, options in ipairs({ '', 'set noruler noshowcmd', 'set laststatus=0', 'set cmdheight=2', 'set cmdheight=0' }) do
    nvim:command(options)
    for _, length in ipairs({ 1, 30, 40, 50, 60, 70, 150, 700 }) do
      local words = vim.trim(('words '):rep(length / 6) .. ('x'):rep(length % 6))
      say(nvim, words)
      expect_on_screen(nvim, 'redraft: ' .. words)
      say(nvim, 'two\nlines')
      expect_on_screen(nvim, 'redraft: two lines')
    end
  end
  nvim:expect_no_question()
end

local function several_at_once_do_not_stop_the_user(start)
  local nvim = start_narrow(start)
  nvim:lua([[vim.schedule(function()
    local say = require('redraft.say')
    say.say('one') say.warn('two') say.fail('three') say.say(('four '):rep(30)) say.say(('five '):rep(30))
  end)]])
  nvim:wait_for_message(('five '):rep(30))
  expect_on_screen(nvim, 'four four')
  expect_on_screen(nvim, 'five five')
  for _, text in ipairs({ 'one', 'two', 'three' }) do
    expect(nvim:messages():find('redraft: ' .. text, 1, true), text .. ' is in the history')
  end
  nvim:expect_no_question()
end

local function while_a_command_is_typed_it_stands_in_the_corner(start)
  local nvim = start_narrow(start)
  nvim:keys(':let x = 1')
  nvim:wait(function() return nvim:shows(':let x = 1') end, 'the command line')
  say(nvim, 'something short')
  expect_on_screen(nvim, 'redraft: something short')
  expect_on_screen(nvim, ':let x = 1')
  nvim:keys('7<CR>')
  nvim:wait(function() return nvim:lua('return vim.g.x') == 17 end, 'the command')
  nvim:expect_no_question()
end

local function a_note_goes_when_the_user_goes_on(start)
  local nvim = start_narrow(start)
  nvim:lua([[vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'a', 'b', 'c' })]])
  say(nvim, ('long '):rep(20))
  nvim:keys('j')
  expect_on_screen(nvim, 'long long') -- it has only just come
  nvim:lua([[local now = vim.uv.now vim.uv.now = function() return now() + 4000 end]])
  nvim:keys('j')
  nvim:wait(function() return not nvim:shows('long long') or nvim:shows('…') and not nvim:shows('│') end, 'the end of the note')
end

local function a_plugin_that_shows_messages_gets_them_whole(start)
  local nvim = start_narrow(start)
  nvim:lua([[vim.notify = function(text, level) Shown = { text, level } end]])
  local text = ('long '):rep(40)
  say(nvim, text)
  equal(nvim:lua('return Shown'), { 'redraft: ' .. text, vim.log.levels.INFO })
  expect(not nvim:shows('long long'), 'it is shown once')
end

-- The other tests could not see a message that goes its own way.
local function all_messages_go_one_way(start)
  local nvim = start_narrow(start)
  for _, file in ipairs(vim.fn.glob(nvim.root .. '/editors/neovim/lua/redraft/*.lua', false, true)) do
    local text = table.concat(vim.fn.readfile(file), '\n')
    local is_theirs = vim.endswith(file, '/say.lua')
    for _, way in ipairs({ 'vim%.notify%(', 'nvim_echo', '[^%w_.:]print%(', 'err_write', 'vim%.cmd%.echo' }) do
      expect(is_theirs or not text:find(way), ('%s: %s'):format(file, way))
    end
  end
end

local before = 'def add(a, b):\n    pass\n\n\ndef sub(a, b):\n    pass\n'

local function messages_of_an_edit_fit(start)
  local nvim = start_narrow(start, { edits = { { instruction = 'body', find = 'pass', replace = 'return a' } } })
  nvim:open('a.py', before)
  local says = function(keys, text)
    nvim:keys(keys)
    nvim:wait_for_message(text)
    nvim:expect_no_question()
  end
  says(':RedraftAccept<CR>', 'no changes to accept in this buffer')
  says(':RedraftReject!<CR>', 'no changes to reject in this buffer')
  says(':RedraftCancel<CR>', 'no edit is running in this buffer')
  says(':RedraftMore<CR>', 'no places are left in this buffer. :RedraftFile finds some')
  says(':RedraftApply z<CR>', 'register z is empty. Copy some code first')
  says(':lua require("redraft").jump(1)<CR>', 'no changes in this buffer')
  says(':RedraftEdit nothing<CR>', 'the model changed nothing. ')
  expect_on_screen(nvim, 'or request another try (<M-Up> at the prompt widens, :RedraftAnother tries again)')
  says(':RedraftFile nothing<CR>', 'another try (:RedraftAnother tries again)')
  says(':RedraftEdit something<CR>:RedraftAnother<CR>', '')
  says(':RedraftNextEdit<CR>', 'no next edit: ')
  says(':%RedraftEdit body<CR>:sleep 1m<CR>', '')
  nvim:wait_for_end(2)
  says('3G:RedraftAccept<CR>', 'no change under the cursor (with "!": all of them)')
  nvim:command('set nomodifiable')
  says(':RedraftAccept!<CR>', 'the buffer is not modifiable; the changes are kept')
  says(':RedraftEdit body<CR>', 'the buffer is not modifiable')
  nvim:command('set modifiable')
  says('2GA  # mine<Esc>', 'a change was dropped: the text it replaces was changed')
  nvim:lua([[vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'a\rb' })]])
  says(':RedraftEdit body<CR>', 'the buffer contains carriage returns that end a line for the server')
end

local function long_lists_stand_in_a_window(start)
  local text = {}
  for i = 0, 159 do
    table.insert(text, ('def step%d(a, b):\n    x = a + %d\n    y = b * 2\n    pass\n\n\n'):format(i, i))
  end
  local nvim = start_narrow(start, { edits = { { find = 'pass', replace = 'return x + y' } } })
  nvim:open('a.py', table.concat(text))
  nvim:keys(':RedraftFile let step3 return it<CR>')
  nvim:wait_for_end(1)
  nvim:keys(':RedraftMore<CR>')
  nvim:wait(function() return nvim:shows('redraft: edit further places?') end, 'the list')
  nvim:keys('q:RedraftMore<CR>')
  nvim:wait(function() return nvim:shows('redraft: edit further places?') end, 'the list again')
  nvim:keys('G<CR>') -- all of them
  nvim:wait(function() return nvim:edit() and #nvim:edit().hunks > 1 end, 'the edit')
  nvim:keys(':RedraftCancel<CR>')
  nvim:expect_no_question()
end

local function a_long_instruction_is_typed(start)
  local nvim = start_narrow(start, { edits = { { instruction = 'body', find = 'pass', replace = 'return a' } } })
  nvim:open('a.py', before)
  nvim:keys(':%RedraftEdit<CR>')
  nvim:wait(function() return nvim:shows('redraft: how should this be edited?') end, 'the prompt')
  nvim:keys(('words '):rep(30) .. 'body<CR>')
  nvim:wait_for_end(2)
  nvim:expect_no_question()
end

local function without_a_model_it_says_why_and_what_to_do(start)
  local why = '/home/me/.local/share/redraft/models/middle.gguf is missing; fetch it with `redraft models pull middle`'
  local nvim = start_narrow(start, { edits = {}, load_error = why })
  nvim:open('a.py', before)
  nvim:keys(':RedraftEdit body<CR>')
  nvim:wait_for_message('is missing; fetch it with :RedraftPull middle')
  nvim:wait(function() return nvim:edit() == nil end, 'the end of the edit')
  expect_on_screen(nvim, ':RedraftPull middle')
  nvim:expect_no_question()
end

local function the_end_of_the_server_is_one_message(start)
  local held = scripted.held('pass', 'return a', '')
  held.hold()
  local nvim = start(vim.tbl_extend('error', { server = held.server }, narrow))
  nvim:open('a.py', before)
  nvim:keys(':%RedraftEdit body<CR>')
  nvim:wait(function() return nvim:edit() end, 'the edit')
  nvim:lua([[local pid = vim.api.nvim_get_proc_children(vim.fn.getpid())[1]
    vim.uv.kill(pid, 'sigkill')]])
  nvim:wait_for_message('the server ended during an edit')
  nvim:wait(function() return nvim:edit() == nil end, 'the end of the edit')
  expect(not nvim:messages():find('quit with exit code', 1, true), nvim:messages())
  nvim:expect_no_question()
  expect(not nvim:shows('cancels'), 'the note is gone')
  equal(nvim:lua([[return require('redraft.float').is_neovims(vim.notify)]]), true)
  held.release()
end

-- Servers that share a model end together. Each has a message of ours.
local function the_ends_of_several_servers_fit(start)
  local nvim = start_narrow(start, { edits = {} })
  for _, name in ipairs({ 'one', 'two' }) do
    vim.fn.mkdir(nvim.folder .. '/' .. name .. '/.git', 'p')
    nvim:open(name .. '/a.py', before)
  end
  local n = nvim:lua([[return #vim.lsp.get_clients({ name = 'redraft' })]])
  expect(n >= 2, 'two servers')
  nvim:lua([[Said = {}
    local say = require('redraft.say')
    local fail = say.fail
    say.fail = function(text) table.insert(Said, text) fail(text) end
    require('redraft.restart').first_delay = 1e9
    for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, 'sigkill') end
    vim.uv.sleep(500)]]) -- Neovim hears of all at once
  nvim:wait(function() return nvim:lua('return #Said') == n end, 'all messages')
  nvim:wait(function() return nvim:lua([[return #vim.lsp.get_clients({ name = 'redraft' })]]) == 0 end, 'all ends')
  expect(not nvim:messages():find('quit with exit code', 1, true), nvim:messages())
  nvim:expect_no_question()
  equal(nvim:lua([[return require('redraft.float').is_neovims(vim.notify)]]), true)
end

local function the_status_stands_in_a_window(start)
  local nvim = start_narrow(start, { edits = {} }, { setup = { loadEarly = false } })
  nvim:open('a.py', before)
  for _, key in ipairs({ 'q', '<Esc>' }) do
    nvim:keys(':RedraftStatus<CR>')
    nvim:wait(function() return nvim:shows('model unloaded') end, 'the window')
    expect_on_screen(nvim, 'The model is not loaded yet. The first request loads it.')
    nvim:keys(key)
    nvim:wait(function() return not nvim:shows('model unloaded') end, 'the end of the window')
    equal(nvim:lua([[return vim.fn.expand('%:t')]]), 'a.py')
  end
  nvim:expect_no_question()
end

return {
  { 'messages of any length fit', messages_of_any_length_fit },
  { 'several at once do not stop the user', several_at_once_do_not_stop_the_user },
  { 'while a command is typed a message stands in the corner', while_a_command_is_typed_it_stands_in_the_corner },
  { 'a note goes when the user goes on', a_note_goes_when_the_user_goes_on },
  { 'a plugin that shows messages gets them whole', a_plugin_that_shows_messages_gets_them_whole },
  { 'all messages go one way', all_messages_go_one_way },
  { 'messages of an edit fit', messages_of_an_edit_fit },
  { 'long lists stand in a window', long_lists_stand_in_a_window },
  { 'a long instruction is typed', a_long_instruction_is_typed },
  { 'without a model it says why and what to do', without_a_model_it_says_why_and_what_to_do },
  { 'the end of the server is one message', the_end_of_the_server_is_one_message },
  { 'the ends of several servers fit', the_ends_of_several_servers_fit },
  { 'the status stands in a window', the_status_stands_in_a_window },
}
