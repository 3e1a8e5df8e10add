-- An edit as a person sees it: request it, watch hunks arrive, decide on each.
local check = require('check')
local equal, expect = check.equal, check.expect
local scripted = require('scripted')

local before = [[
import os

def read(path):
    f = open(path)
    return f.read()

def name(path):
    return os.path.basename(path)

def main():
    print(name('a'))
]]
local after = [[
import os
from pathlib import Path

def read(path):
    with open(path) as f:
        return f.read()

def name(path):
    return Path(path).name

def main():
    print(name('a'))
]]
local second = 'as f:' -- stands within the second of the three changes

local function lines_of(text)
  return vim.split((text:gsub('\n$', '')), '\n')
end

local function hunks_arrive_live(start)
  local held = scripted.held(before, after, second)
  local nvim = start({ server = held.server })
  nvim:open('a.py', before)
  held.hold()
  nvim:keys(':%RedraftEdit use pathlib and close files<CR>')
  nvim:wait_for_hunks(1)
  equal(nvim:edit().state, 'running')
  expect(nvim:shows('from pathlib import Path'), 'the first hunk is on the screen')
  expect(not nvim:shows('Path(path).name'), 'the last is not yet')
  expect(nvim:status():find('^redraft: %d+ %%, 1 change$'), 'status while it runs: ' .. nvim:status())
  held.release()
  nvim:wait_for_end(3)
  expect(nvim:shows('    return Path(path).name') and nvim:shows('    return os.path.basename(path)'), 'both texts show')
  equal(nvim:lines(), lines_of(before)) -- nothing has entered the buffer
  expect(nvim:status():find('^redraft: 3 changes, %d+ tokens/s$'), 'status at the end: ' .. nvim:status())
end

local function accept_one_reject_one(start)
  local nvim = start({ server = scripted.server(before, after) })
  nvim:open('a.py', before)
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_end(3)
  nvim:keys('4G:RedraftAccept<CR>')
  nvim:wait_for_hunks(2)
  local accepted = lines_of(before)
  accepted[4], accepted[5] = '    with open(path) as f:', '        return f.read()'
  nvim:wait_for_lines(accepted)
  nvim:keys('gg]r') -- without default keys "]r" is not ours
  nvim:lua([[require('redraft').jump(1)]])
  nvim:keys(':RedraftReject<CR>')
  nvim:wait_for_hunks(1)
  nvim:wait_for_lines(accepted)
  nvim:keys('u')
  nvim:wait_for_lines(lines_of(before))
  nvim:keys('<C-r>')
  nvim:wait_for_lines(accepted)
  expect(not nvim:shows('from pathlib import Path') or nvim:shows('Path(path).name'), 'one hunk is left')
end

local function accept_all_is_one_undo_step(start)
  local nvim = start({ server = scripted.server(before, after) })
  nvim:open('a.py', before)
  nvim:keys('ggOimport re<Esc>')
  local typed = vim.list_extend({ 'import re' }, lines_of(before))
  nvim:wait_for_lines(typed)
  nvim:keys('u')
  nvim:wait_for_lines(lines_of(before))
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_end(3)
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines(lines_of(after))
  expect(not nvim:edit(), 'the edit is over')
  equal(nvim:status(), '')
  nvim:keys('u')
  nvim:wait_for_lines(lines_of(before))
  nvim:keys('<C-r>')
  nvim:wait_for_lines(lines_of(after))
  equal(nvim:saved(), after)
end

local function reject_all_leaves_no_trace(start)
  local nvim = start({ server = scripted.server(before, after) })
  nvim:open('a.py', before)
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_end(3)
  nvim:keys(':RedraftReject!<CR>')
  nvim:wait(function() return not nvim:edit() end, 'the end of the edit')
  equal(nvim:lines(), lines_of(before))
  equal(nvim:lua([[return #vim.api.nvim_buf_get_extmarks(0, require('redraft.view').namespace, 0, -1, {})]]), 0)
  expect(not nvim:shows('from pathlib'), 'nothing is drawn any more')
end

local function typing_elsewhere_moves_hunks(start)
  local held = scripted.held(before, after, second)
  local nvim = start({ server = held.server })
  nvim:open('a.py', before)
  held.hold()
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_hunks(1)
  nvim:keys('ggO# one<CR># two<Esc>') -- above everything, while hunks still arrive
  nvim:server_status() -- the server knows
  held.release()
  nvim:wait_for_end(3)
  nvim:keys('Go<C-u># end<Esc>')
  nvim:keys(':RedraftAccept!<CR>')
  local expected = vim.list_extend({ '# one', '# two' }, lines_of(after))
  nvim:wait_for_lines(vim.list_extend(expected, { '# end' }))
end

local function typing_in_a_hunk_drops_it(start)
  local nvim = start({ server = scripted.server(before, after) })
  nvim:open('a.py', before)
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_end(3)
  nvim:keys('8GA  # mine<Esc>')
  nvim:wait_for_hunks(2)
  nvim:wait_for_message('a change was dropped: ')
  nvim:keys(':RedraftAccept!<CR>')
  local expected = lines_of(after)
  expected[9] = '    return os.path.basename(path)  # mine'
  nvim:wait_for_lines(expected)
end

local function cancel_keeps_what_has_come(start)
  local held = scripted.held(before, after, second)
  local nvim = start({ server = held.server })
  nvim:open('a.py', before)
  held.hold()
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_hunks(1)
  nvim:keys(':RedraftCancel<CR>')
  nvim:server_status() -- the server knows
  held.release()
  nvim:wait_for_end()
  equal(nvim:edit().state, 'cancelled')
  nvim:wait_for_message('edit cancelled')
  equal(#nvim:edit().hunks, 1)
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait(function() return not nvim:edit() end, 'the end of the edit')
  equal(nvim:lines()[2], 'from pathlib import Path')
end

local function crlf_and_missing_newline_survive(start)
  local dos = before:gsub('\n', '\r\n'):gsub('\r\n$', '')
  local new = after:gsub('\n', '\r\n'):gsub('\r\n$', '')
  local nvim = start({ server = scripted.server(before:gsub('\n$', ''), (after:gsub('\n$', ''))) })
  nvim:command('set nofixeol')
  nvim:open('a.py', dos)
  equal(nvim:lua('return { vim.bo.fileformat, vim.bo.endofline }'), { 'dos', false })
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_end(3)
  expect(nvim:shows('    return Path(path).name'), 'the new text shows')
  expect(not nvim:shows('^M'), 'no carriage returns on the screen')
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines(lines_of(after))
  equal(nvim:saved(), new)
end

local function first_line_and_beyond_the_last(start)
  local nvim = start({ server = scripted.server('a = 1\nb = 2\n', '# head\na = 1\nb = 2\n# tail\n') })
  nvim:open('a.py', 'a = 1\nb = 2\n')
  nvim:keys(':%RedraftEdit add comments<CR>')
  nvim:wait_for_end(2)
  local screen = vim.tbl_map(function(row) return (row:gsub('  :RedraftAccept.*', '')) end, nvim:screen())
  equal(vim.list_slice(screen, 1, 4), { '# head', 'a = 1', 'b = 2', '# tail' })
  nvim:keys('gg:RedraftAccept<CR>')
  nvim:wait_for_lines({ '# head', 'a = 1', 'b = 2' })
  nvim:keys('G:RedraftAccept<CR>')
  nvim:wait_for_lines({ '# head', 'a = 1', 'b = 2', '# tail' })
  equal(nvim:saved(), '# head\na = 1\nb = 2\n# tail\n')
end

-- The first lines end in "\r\n", the rest in "\n": Neovim opens the file with format "unix".
local function mixed(text, n_lines)
  local n = 0
  return (text:gsub('\n', function()
    n = n + 1
    return n <= n_lines and '\r\n' or '\n'
  end))
end

local function mixed_line_endings_survive(start)
  local nvim = start({ server = scripted.server(before, after) })
  nvim:open('a.py', mixed(before, 5))
  equal(nvim:lua('return vim.bo.fileformat'), 'unix')
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_end(3)
  expect(nvim:shows('from pathlib import Path') and nvim:shows('        return f.read()'), 'the new text shows')
  nvim:keys(':RedraftAccept!<CR>')
  local expected = mixed(after, 6) -- one line more than before
  nvim:wait_for_lines(lines_of(expected))
  equal(nvim:saved(), expected)
  nvim:keys('u')
  nvim:wait_for_lines(lines_of(mixed(before, 5)))
end

local function mixed_line_endings_at_the_end_survive(start)
  local text = 'a = 1\nb = 2\r\nc = 3\r\n'
  local cases = {
    { 'replaced', 'c = 3', 'c = 4', 'a = 1\nb = 2\r\nc = 4\r\n' },
    { 'added', 'c = 3\n', 'c = 3\nd = 4\n', 'a = 1\nb = 2\r\nc = 3\r\nd = 4\r\n' },
    { 'removed', 'b = 2\nc = 3\n', 'b = 5\n', 'a = 1\nb = 5\r\n' },
    { 'both', 'a = 1\nb = 2\nc = 3\n', '# head\na = 1\nb = 2\n', '# head\na = 1\nb = 2\r\n' },
  }
  for _, case in ipairs(cases) do
    local nvim = start({ server = scripted.server(case[2], case[3]) })
    nvim:open(case[1] .. '.py', text)
    nvim:keys(':%RedraftEdit change it<CR>')
    nvim:wait_for_end()
    expect(#nvim:edit().hunks > 0, case[1] .. ': hunks show')
    nvim:keys(':RedraftAccept!<CR>')
    nvim:wait(function() return not nvim:edit() end, 'the end of the edit')
    equal({ case[1], nvim:saved() }, { case[1], case[4] })
    nvim:keys('u')
    nvim:wait_for_lines(lines_of(text))
  end
end

local function stray_returns_are_refused(start)
  local nvim = start({ server = scripted.server('old_name = 2', 'new_name = 2') })
  for name, text in pairs({
    ['unix.py'] = 's = "a\rb"\nx = 1\nold_name = 2\nkeep_me = 3\nend = 4\n',
    ['dos.py'] = 's = 1\r\r\nx = 1\r\nold_name = 2\r\nkeep_me = 3\r\n',
  }) do
    nvim:open(name, text)
    nvim:command('messages clear')
    nvim:keys(':%RedraftEdit rename<CR>')
    nvim:wait_for_message('the buffer contains carriage returns that end a line for the server')
    equal(nvim:edit(), nil)
    equal(nvim:saved(), text)
  end
end

local function a_stray_return_typed_later_loses_nothing(start)
  local nvim = start({ server = scripted.server('old_name = 2', 'new_name = 2') })
  nvim:open('a.py', 's = "ab"\nx = 1\nold_name = 2\nkeep_me = 3\nend = 4\n')
  nvim:keys(':%RedraftEdit rename<CR>')
  nvim:wait_for_end(1)
  nvim:keys('gg0fbi<C-v><CR><Esc>')
  local typed = { 's = "a\rb"', 'x = 1', 'old_name = 2', 'keep_me = 3', 'end = 4' }
  nvim:wait_for_lines(typed)
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_message('the buffer differs from the text that the server knows')
  equal(nvim:lines(), typed)
  equal(nvim:edit(), nil)
end

local function several_edits_of_a_buffer_stay(start)
  local nvim = start({ server = scripted.server('old', 'new') })
  nvim:open('a.py', 'old = 1\nkeep = 2\nold = 3\nkeep = 4\nold = 5\n')
  nvim:keys(':5RedraftEdit rename<CR>')
  nvim:keys(':1RedraftEdit rename<CR>')
  nvim:wait_for_end(2)
  nvim:keys('ggOtyped = 0<Esc>')
  nvim:keys(':4RedraftEdit rename<CR>')
  nvim:wait_for_end(3)
  nvim:keys('gg')
  local rows = {}
  for _ = 1, 4 do
    nvim:lua([[require('redraft').jump(1)]])
    table.insert(rows, nvim:call('win_get_cursor', 0)[1])
  end
  equal(rows, { 2, 4, 6, 2 })
  nvim:keys('6G:RedraftAccept<CR>')
  nvim:wait_for_lines({ 'typed = 0', 'old = 1', 'keep = 2', 'old = 3', 'keep = 4', 'new = 5' })
  nvim:keys('2G:RedraftReject<CR>')
  nvim:wait_for_hunks(1)
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines({ 'typed = 0', 'old = 1', 'keep = 2', 'new = 3', 'keep = 4', 'new = 5' })
  equal(nvim:edit(), nil)
end

local function cancel_stops_all_edits_of_the_buffer(start)
  local held = scripted.held('old', 'new', '')
  local nvim = start({ server = held.server })
  nvim:open('a.py', 'old = 1\nkeep = 2\nold = 3\n')
  held.hold()
  nvim:keys(':1RedraftEdit rename<CR>')
  nvim:keys(':3RedraftEdit rename<CR>')
  local asked = [[return #vim.tbl_filter(function(s) return s.edit_id end, require('redraft.client').sessions(vim.api.nvim_get_current_buf()))]]
  nvim:wait(function() return nvim:lua(asked) == 2 end, 'both are asked for')
  nvim:keys(':RedraftCancel<CR>')
  nvim:server_status() -- the server knows
  held.release()
  nvim:wait(function() return nvim:edit() == nil end, 'both have ended')
  nvim:wait_for_message('edit cancelled')
end

-- The docstring takes the place of the line that begins the method.
local client = [[
class Client:
    def send(self, line):
        self.sock.send(line)

    def put(self, line):
        self.send(line + CRLF)
]]
local head = '    def put(self, line):\n'
local gone = "the definition of 'Client.put' is gone"
local loses_it = { instruction = 'docstring', find = head, replace = '        """Send a line."""\n' }

local function a_doubtful_edit_is_not_accepted_without_a_word(start)
  local nvim = start({ server = scripted.start({ edits = { loses_it } }) })
  nvim:open('a.py', client)
  nvim:keys(':RedraftEdit add a docstring<CR>')
  nvim:wait_for_end(1)
  nvim:wait_for_message('check this edit: ' .. gone)
  expect(nvim:shows('! ' .. gone), 'the reason stands beside the change')
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_message('1 change not accepted: ' .. gone .. '. Repeat the command to accept it')
  equal(nvim:lines(), lines_of(client))
  equal(#nvim:edit().hunks, 1)
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines(lines_of((client:gsub('    def put%(self, line%):\n', loses_it.replace))))
end

-- The rename is certain of self.count, not of other.count.
local function what_is_certain_is_accepted_without_what_is_doubtful(start)
  local store = 'class Store:\n    count = 0\n    def add(self, other):\n        self.count += 1\n        return other.count\n'
  local nvim = start({ server = scripted.start({ edits = {} }) })
  nvim:open('a.py', store)
  nvim:keys('2G5|:RedraftEdit rename count to size<CR>')
  nvim:wait_for_end(3)
  nvim:keys(':RedraftAccept!<CR>')
  local certain = store:gsub('    count', '    size'):gsub('self.count', 'self.size')
  nvim:wait_for_lines(lines_of(certain))
  nvim:wait_for_message('1 change not accepted: ')
  equal(#nvim:edit().hunks, 1)
  expect(nvim:shows("! it is not certain"), 'the reason stays beside the change')
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines(lines_of((store:gsub('count', 'size'))))
end

local function a_better_second_answer_takes_its_place(start)
  local keeps_it = { instruction = 'That is wrong', find = head, replace = head .. '        """Send a line."""\n' }
  local nvim = start({ server = scripted.start({ edits = { loses_it, keeps_it } }) })
  nvim:open('a.py', client)
  nvim:keys(':RedraftEdit add a docstring<CR>')
  nvim:wait_for_end(1)
  expect(not nvim:shows(gone), 'nothing is doubtful')
  expect(not nvim:messages():find('dropped', 1, true), 'what others replace is no news')
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines(lines_of((client:gsub('    def put%(self, line%):\n', keeps_it.replace))))
end

local function what_was_put_right_is_said(start)
  local uses = { instruction = 'log', find = '        self.send(line + CRLF)\n', replace = '        logging.debug(line)\n' }
  local text = 'import socket\n\n\n' .. client
  local nvim = start({ server = scripted.start({ edits = { uses } }) })
  nvim:open('a.py', text)
  nvim:keys('9G:.RedraftEdit log instead<CR>')
  nvim:wait_for_end(2)
  nvim:wait_for_message("corrected: 'import logging' is needed now")
  nvim:keys(':RedraftAccept!<CR>')
  local expected = text:gsub('        self.send%(line %+ CRLF%)\n', uses.replace):gsub('import socket\n', '%0import logging\n')
  nvim:wait_for_lines(lines_of(expected))
end

local function what_was_copied_is_put_in_its_place(start)
  local nvim = start({ server = scripted.start({ edits = {} }) })
  nvim:open('a.py', before)
  nvim:lua([[vim.fn.setreg('"', '```python\ndef name(path):\n    return os.path.basename(path).lower()\n```\n')]])
  nvim:keys('G:RedraftApply "<CR>')
  nvim:wait_for_end(1)
  expect(nvim:shows('    return os.path.basename(path).lower()'), 'the new line is shown')
  equal(nvim:lines(), lines_of(before))
  nvim:keys(':RedraftAccept!<CR>')
  local expected = before:gsub('os%.path%.basename%(path%)', 'os.path.basename(path).lower()')
  nvim:wait_for_lines(lines_of(expected))
  nvim:keys(':RedraftApply "<CR>')
  nvim:wait_for_message('nothing to change: the file already contains this code')
  nvim:keys(':RedraftApply z<CR>')
  nvim:wait_for_message('register z is empty. Copy some code first')
end

--- Writes `text` into the current buffer, which has no name, and starts an edit there.
local function edit_without_name(nvim, text)
  nvim:call('buf_set_lines', 0, 0, -1, true, lines_of(text))
  nvim:command('set filetype=python')
  nvim:keys(':%RedraftEdit use pathlib<CR>')
end

local function a_buffer_without_a_name_is_edited(start)
  local nvim = start({ server = scripted.server(before, after) })
  edit_without_name(nvim, before)
  nvim:wait_for_end(3)
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines(lines_of(after))
  nvim:keys('u')
  nvim:wait_for_lines(lines_of(before))
  equal(#nvim:call('list_bufs'), 1)
end

local function a_filetype_set_later_is_told(start)
  local nvim = start({ server = scripted.server(before, after), record = true })
  nvim:call('buf_set_lines', 0, 0, -1, true, lines_of(before))
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait(function() return nvim:told('textDocument/didOpen')[1] end, 'the document')
  nvim:command('set filetype=python')
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_end(3)
  local languages = vim.tbl_map(function(each) return each[2].textDocument.languageId end, nvim:told('textDocument/didOpen'))
  equal(languages, { '', 'python' })
  nvim:command('set filetype=python')
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines(lines_of(after)) -- the same filetype changes nothing
end

local function a_second_buffer_without_a_name_is_refused_before_it_is_asked(start)
  local nvim = start({ server = scripted.server(before, after) })
  edit_without_name(nvim, before)
  nvim:wait_for_end(3)
  nvim:command('set hidden | enew')
  edit_without_name(nvim, before)
  nvim:wait_for_message('another buffer without a name is open. Name this one (:file NAME)')
  nvim:keys(':RedraftEdit<CR>')
  nvim:keys(':let g:was_asked = mode()<CR>')
  nvim:wait(function() return nvim:lua('return vim.g.was_asked') == 'n' end, 'a command line of its own')
  nvim:command('bfirst')
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines(lines_of(after)) -- the first one's edit is as it was
end

local function a_file_read_again_drops_its_edits_and_says_so(start)
  local nvim = start({ server = scripted.server(before, after) })
  nvim:open('a.py', before)
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_end(3)
  nvim:keys(':edit!<CR>')
  nvim:wait_for_message('the file was read again from the disk, which dropped its 3 changes')
  expect(nvim:edit() == nil, 'no edit is left')
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_end(3)
  vim.fn.writefile(lines_of('# another line\n' .. before), nvim.path)
  nvim:command('checktime')
  nvim:wait_for_message('the file was read again from the disk, which dropped its 3 changes')
  nvim:keys(':%RedraftEdit use pathlib<CR>')
  nvim:wait_for_end(3)
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines(lines_of('# another line\n' .. after))
end

return {
  { 'a buffer without a name is edited', a_buffer_without_a_name_is_edited },
  { 'a filetype that is set later is told', a_filetype_set_later_is_told },
  { 'a second buffer without a name is refused', a_second_buffer_without_a_name_is_refused_before_it_is_asked },
  { 'a file that is read again drops its edits and says so', a_file_read_again_drops_its_edits_and_says_so },
  { 'what was copied is put in its place', what_was_copied_is_put_in_its_place },
  { 'what was put right is said', what_was_put_right_is_said },
  { 'a doubtful edit is not accepted without a word', a_doubtful_edit_is_not_accepted_without_a_word },
  { 'what is certain is accepted without what is doubtful', what_is_certain_is_accepted_without_what_is_doubtful },
  { 'a better second answer takes the place of a doubtful one', a_better_second_answer_takes_its_place },
  { 'several edits of a buffer stay, each with its hunks', several_edits_of_a_buffer_stay },
  { 'cancel stops all edits of the buffer', cancel_stops_all_edits_of_the_buffer },
  { 'hunks arrive while the edit runs, the buffer stays as it is', hunks_arrive_live },
  { 'accept one, reject one, undo', accept_one_reject_one },
  { 'accept all is one undo step', accept_all_is_one_undo_step },
  { 'reject all leaves no trace', reject_all_leaves_no_trace },
  { 'typing elsewhere during the edit: hunks follow', typing_elsewhere_moves_hunks },
  { 'typing inside a hunk: it is dropped with a reason', typing_in_a_hunk_drops_it },
  { 'cancel keeps the hunks that have come', cancel_keeps_what_has_come },
  { 'CRLF and a missing final newline survive', crlf_and_missing_newline_survive },
  { 'mixed line endings survive', mixed_line_endings_survive },
  { 'mixed line endings at the end of the file survive', mixed_line_endings_at_the_end_survive },
  { 'hunks above the first line and below the last', first_line_and_beyond_the_last },
  { 'carriage returns that end no line are refused', stray_returns_are_refused },
  { 'a carriage return typed later: an accept loses nothing', a_stray_return_typed_later_loses_nothing },
}
