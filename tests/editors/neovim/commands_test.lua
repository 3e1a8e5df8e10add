-- The ways to start an edit, and the messages when something is missing.
local check = require('check')
local equal, expect = check.equal, check.expect
local scripted = require('scripted')

local function selection_with_a_prompt(start)
  local nvim = start({ server = scripted.server('    pass', '    return a + b', 'write the body'), setup = { keymaps = true } })
  nvim:open('a.py', 'def add(a, b):\n    pass\n\ndef sub(a, b):\n    pass\n')
  nvim:keys('2GV\\re')
  nvim:wait(function() return nvim:shows('redraft: how should this be edited?') end, 'the prompt')
  nvim:keys('write the body<CR>')
  nvim:wait_for_end(1)
  nvim:keys('\\ra')
  -- the other "pass" stays: the edit was of the selection only
  nvim:wait_for_lines({ 'def add(a, b):', '    return a + b', '', 'def sub(a, b):', '    pass' })
end

local function a_range_of_an_older_text_is_refused(start)
  local text = 'def add(a, b):\n    pass\n\ndef sub(a, b):\n    pass\n'
  local nvim = start({ server = scripted.server('    pass', '    return a + b') })
  nvim:open('a.py', text)
  -- a prompt in a window, as plugins do it: the buffer can be changed before the answer
  nvim:lua([[vim.ui.input = function(_, answer) Answer = answer end]])
  nvim:keys('2GV:RedraftEdit<CR>')
  nvim:keys('ggOdef mul(a, b):<CR>    pass<CR><Esc>')
  nvim:lua([[Answer('write the body')]])
  nvim:wait_for_message('the file changed meanwhile. Select the lines again')
  equal(nvim:edit(), nil)
  nvim:command('messages clear')
  nvim:lua([[local uri = vim.uri_from_bufnr(0)
    local old = { uri = uri, version = vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()] }
    vim.api.nvim_buf_set_lines(0, 0, 0, true, { '' })
    local position = function(character) return { line = 1, character = character } end
    local range = { start = position(0), ['end'] = position(4) }
    require('redraft').prompt({ textDocument = old, range = range, instruction = 'write the body' })]])
  nvim:wait_for_message('the file changed meanwhile. Select the lines again')
  equal(nvim:edit(), nil)
end

local function an_accept_waits_until_the_buffer_is_modifiable(start)
  local nvim = start({ server = scripted.server('a = 1', 'b = 1') })
  nvim:open('a.py', 'a = 1\n')
  nvim:keys(':%RedraftEdit rename<CR>')
  nvim:wait_for_end(1)
  nvim:command('set nomodifiable')
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_message('the buffer is not modifiable; the changes are kept')
  equal(nvim:lines(), { 'a = 1' })
  nvim:wait_for_hunks(1)
  nvim:command('set modifiable')
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines({ 'b = 1' })
end

local function an_empty_answer_starts_nothing(start)
  local nvim = start({ server = scripted.server('a = 1', 'b = 1') })
  nvim:open('a.py', 'a = 1\n')
  nvim:keys(':RedraftEdit<CR>')
  nvim:wait(function() return nvim:shows('how should this be edited?') end, 'the prompt')
  nvim:keys('  <CR>')
  equal(nvim:edit(), nil)
  equal(nvim:lines(), { 'a = 1' })
end

local function a_code_action_leads_to_the_prompt(start)
  local nvim = start({ server = scripted.server('a = 1', 'a = 2') })
  nvim:open('a.py', 'a = 1\n')
  nvim:lua([[vim.lsp.buf.code_action({ apply = true,
    filter = function(action) return action.title:find('^Edit with redraft') ~= nil end })]])
  nvim:wait(function() return nvim:shows('how should this be edited?') end, 'the prompt')
  nvim:keys('make it two<CR>')
  nvim:wait_for_end(1)
  nvim:keys(':RedraftAccept<CR>')
  nvim:wait_for_lines({ 'a = 2' })
end

local function keys_walk_through_the_hunks(start)
  local nvim = start({ server = scripted.server('a\nb\nc\nd\ne\nf\ng\nh', 'A\nb\nc\nD\ne\nf\ng\nH'), setup = { keymaps = true } })
  nvim:open('a.txt', 'a\nb\nc\nd\ne\nf\ng\nh\n')
  nvim:keys('gg:%RedraftEdit capitals<CR>')
  nvim:wait_for_end(3)
  local row = function() return nvim:call('win_get_cursor', 0)[1] end
  local seen = {}
  for _, key in ipairs({ ']r', ']r', ']r', '[r' }) do
    nvim:keys(key)
    nvim:call('get_mode') -- the keys before it have been processed
    table.insert(seen, row())
  end
  equal(seen, { 4, 8, 1, 8 })
end

local function a_new_edit_replaces_the_old(start)
  local nvim = start({ server = scripted.server('a = 1', 'b = 1') })
  nvim:open('a.py', 'a = 1\n')
  nvim:keys(':%RedraftEdit rename<CR>')
  nvim:wait_for_end(1)
  local first = nvim:edit().id
  nvim:keys(':%RedraftEdit rename<CR>')
  nvim:wait(function() return nvim:edit() and nvim:edit().id ~= first end, 'the second edit')
  nvim:wait_for_end(1)
  local marks = nvim:lua([[return vim.api.nvim_buf_get_extmarks(0, require('redraft.view').namespace, 0, -1, {})]])
  equal(#marks, 2) -- one hunk: its old text and its new lines
end

local function the_only_change_in_sight_is_meant(start)
  local nvim = start({ server = scripted.server('a = 1', 'b = 1'), height = 12 })
  local lines = vim.fn['repeat']({ '' }, 40)
  nvim:open('a.py', 'a = 1\n' .. table.concat(lines, '\n') .. '\n')
  nvim:keys(':1RedraftEdit rename<CR>')
  nvim:wait_for_end(1)
  nvim:keys('G:RedraftReject<CR>')
  nvim:wait_for_message('no change under the cursor')
  equal(#nvim:edit().hunks, 1)
  nvim:keys('gg4j:RedraftAccept<CR>')
  nvim:wait_for_lines(vim.list_extend({ 'b = 1' }, lines))
end

local function nothing_to_decide_is_said(start)
  local nvim = start({ server = scripted.server('x', 'y') })
  nvim:open('a.py', 'a = 1\n')
  nvim:keys(':RedraftAccept<CR>')
  nvim:wait_for_message('no changes to accept in this buffer')
  nvim:keys(':RedraftCancel<CR>')
  nvim:wait_for_message('no edit is running in this buffer')
  nvim:keys(':%RedraftEdit change nothing<CR>')
  nvim:wait_for_message('the model changed nothing')
  equal(nvim:edit(), nil)
end

local function a_missing_server_is_explained(start)
  local nvim = start({ server = { '/nowhere/redraft', 'lsp' } })
  nvim:command('edit ' .. nvim.folder .. '/a.txt')
  nvim:keys(':%RedraftEdit anything<CR>')
  nvim:wait_for_message('cannot find the program "/nowhere/redraft"')
  nvim:command('checkhealth redraft')
  local report = table.concat(nvim:lines(), '\n')
  expect(report:find('the program "/nowhere/redraft" is not in PATH', 1, true), report)
end

local function health_of_a_running_server(start)
  local nvim = start({ server = scripted.server('a', 'b') })
  nvim:open('a.txt', 'a\n')
  nvim:command('checkhealth redraft')
  local report = table.concat(nvim:lines(), '\n')
  expect(report:find('OK program: ', 1, true), report)
  expect(report:find('runs for 1 buffer', 1, true), report)
end

local function wrong_settings_are_refused(start)
  local nvim = start({ server = { 'redraft' } })
  local refused = function(settings)
    return nvim:lua([[local ok, message = pcall(require('redraft').setup, ...) return ok and 'taken' or message]], settings)
  end
  equal(refused({ tarjet = 'x' }), 'redraft: unknown setting "tarjet" (:help redraft-settings)')
  equal(refused({ cmd = 'redraft lsp' }), 'redraft: setting "cmd" must be a table, not a string')
  local command = nvim:lua([[require('redraft').setup({ target = 'big', draft = 'small', args = { '--threads', '2' } })
    return vim.lsp.config.redraft.cmd]])
  equal(command, { 'redraft', 'lsp', '--target', 'big', '--draft', 'small', '--threads', '2' })
  command = nvim:lua([[require('redraft').setup({ commonFolders = { '~/a', '/b c' } })
    return vim.lsp.config.redraft.cmd]])
  equal(command, { 'redraft', 'lsp', '--common', '~/a', '--common', '/b c' })
  equal(refused({ completion = true }), 'redraft: setting "completion" must be a table, not a boolean')
  local settings = nvim:lua([[require('redraft').setup({ dependencies = true, completion = { languages = { c = false } } })
    vim.lsp.config('redraft', { settings = { redraft = { completion = { delay = 5 } } } })
    return vim.lsp.config.redraft.settings.redraft]])
  equal(settings, { dependencies = true, completion = { delay = 5, languages = { c = false } } })
  command = nvim:lua([[require('redraft').setup({ completion = { model = 'c', delay = 9 }, nextEdit = { model = 'n' } })
    return vim.lsp.config.redraft.cmd]])
  equal(command, { 'redraft', 'lsp', '--completion-model', 'c', '--next-edit-model', 'n' })
end

local function settings_reach_the_server_at_once(start)
  local server = scripted.server('a', 'b')
  table.insert(server, '--index')
  local nvim = start({ server = server, setup = { index = false, completion = { delay = 'soon' } } })
  nvim:open('a.txt', 'a\n')
  local waits_for = function(reason)
    nvim:wait(function() return table.concat(nvim:server_status().reasons, '\n'):find(reason, 1, true) end, reason)
  end
  waits_for('The index is off (redraft.index).')
  nvim:wait_for_message('redraft.completion.delay takes an integer from 0 to 5000')
  nvim:lua([[local client = vim.lsp.get_clients({ name = 'redraft' })[1]
    client.settings.redraft.index = true
    client:notify('workspace/didChangeConfiguration', { settings = client.settings })]])
  waits_for('The index is off: no folder is open.')
end

local function a_program_of_another_protocol_is_named(start)
  local nvim = start({ server = scripted.server('a', 'b') })
  nvim:open('a.txt', 'a\n')
  equal(nvim:lua([[return require('redraft.say').last]]), vim.NIL)
  nvim = start({ server = scripted.server('a', 'b'), before = [[require('redraft.client').protocol = 2]] })
  nvim:open('a.txt', 'a\n')
  nvim:wait_for_message('the program speaks protocol 1, the plugin 2. Some features will not work. Update the program')
  nvim = start({ server = scripted.server('a', 'b'), before = [[require('redraft.client').protocol = 0]] })
  nvim:open('a.txt', 'a\n')
  nvim:wait_for_message('the program speaks protocol 1, the plugin 0. Some features will not work. Update the plugin')
end

local function the_server_ends_with_the_editor(start)
  local held = scripted.held('a', 'b', '')
  held.hold() -- the model never continues
  local nvim = start({ server = held.server })
  nvim:open('a.txt', 'a\n')
  nvim:keys(':%RedraftEdit anything<CR>')
  nvim:wait(function() return nvim:edit() end, 'the edit')
  local children = nvim:lua([[return vim.api.nvim_get_proc_children(vim.fn.getpid())]])
  expect(#children > 0, 'the server runs')
  nvim:stop()
  nvim:wait(function()
    return vim.iter(children):all(function(pid) return vim.uv.kill(pid, 0) ~= 0 end)
  end, 'the end of the server')
  held.release()
end

local function help_is_found(start)
  local nvim = start({ server = { 'redraft' } })
  local copy = nvim.folder .. '/copy'
  vim.system({ 'cp', '-r', nvim.root .. '/editors/neovim', copy }):wait()
  nvim:command('helptags ' .. copy .. '/doc')
  nvim:command('set runtimepath^=' .. copy)
  for _, tag in ipairs({ 'redraft', ':RedraftEdit', ':RedraftAccept', 'redraft-settings', 'redraft-server-settings', 'redraft-keys' }) do
    nvim:command('help ' .. tag)
    expect(nvim:lua([[return vim.fn.expand('%:t')]]) == 'redraft.txt', tag)
  end
end

return {
  { 'a selection, a key, a prompt', selection_with_a_prompt },
  { 'a range of an older text is refused', a_range_of_an_older_text_is_refused },
  { 'an accept waits until the buffer is modifiable', an_accept_waits_until_the_buffer_is_modifiable },
  { 'an empty answer starts nothing', an_empty_answer_starts_nothing },
  { 'a code action leads to the prompt', a_code_action_leads_to_the_prompt },
  { 'keys walk through the hunks', keys_walk_through_the_hunks },
  { 'a new edit replaces the old', a_new_edit_replaces_the_old },
  { 'the only change in sight is meant', the_only_change_in_sight_is_meant },
  { 'nothing to decide is said', nothing_to_decide_is_said },
  { 'a missing server is explained', a_missing_server_is_explained },
  { 'health of a running server', health_of_a_running_server },
  { 'wrong settings are refused', wrong_settings_are_refused },
  { 'settings reach the server at once', settings_reach_the_server_at_once },
  { 'a program of another protocol is named', a_program_of_another_protocol_is_named },
  { 'the server ends with the editor', the_server_ends_with_the_editor },
  { 'help is found', help_is_found },
}
