-- What a person sees beside the text while an edit runs, and beside its changes.
local check = require('check')
local equal, expect = check.equal, check.expect
local scripted = require('scripted')

local function functions(n)
  local text = {}
  for i = 0, n - 1 do
    table.insert(text, ('def step%d(a, b):\n    x = a + %d\n    return x\n\n\n'):format(i, i))
  end
  return table.concat(text)
end

local text = functions(30)
local hold = { before = 'step12', file = '' }

-- A Neovim whose edit stops within function 12 until `nvim.release()`; `nvim.texts()` is all that notes have said.
local function start_held(start, options)
  hold.file = vim.fn.tempname()
  vim.fn.writefile({}, hold.file)
  local edits = { { find = 'return x', replace = 'return x + b' } }
  -- Each pass is reported, however fast the machine is.
  local server = scripted.start({ edits = edits, hold = hold, delay_ms_per_pass = 60 })
  local nvim = start(vim.tbl_extend('error', { server = server }, options or {}))
  nvim:lua([[local note = require('redraft.note')
    local draw = note.draw
    Texts = {}
    note.draw = function(buf, namespace, first, text, ...)
      table.insert(Texts, text)
      return draw(buf, namespace, first, text, ...)
    end]])
  nvim.texts = function() return nvim:lua('return Texts') end
  nvim.release = function() vim.fn.delete(hold.file) end
  nvim:open('a.py', text)
  return nvim
end

local function has_said(nvim, pattern)
  return vim.iter(nvim.texts()):find(function(each) return each:find(pattern) ~= nil end)
end

local function row_with(nvim, words)
  for row, line in ipairs(nvim:screen()) do
    if line:find(words, 1, true) then
      return row, line
    end
  end
end

local function what_an_edit_is_at_is_said(start)
  local nvim = start_held(start, { setup = { loadEarly = false } })
  nvim:keys(':%RedraftEdit add b<CR>')
  nvim:wait(function() return has_said(nvim, 'writing, [1-9]%d* of 149 lines  :RedraftCancel cancels$') end, 'lines')
  local reading = has_said(nvim, 'reading %d+ %%  :RedraftCancel cancels$')
  expect(reading, vim.inspect(nvim.texts()))
  expect(has_said(nvim, 'loading the model  :RedraftCancel cancels$'), vim.inspect(nvim.texts()))
  expect(row_with(nvim, 'writing, ') == 1, 'it stands beside the first line')
  local spinner = function() return select(2, row_with(nvim, 'writing, ')):match('(%S+) writing') end
  local seen = spinner()
  nvim:wait(function() return spinner() ~= seen end, 'the spinner turns')
  nvim:keys(':RedraftCancel<CR>')
  nvim:wait(function() return has_said(nvim, 'stopping') end, 'the cancellation is taken')
  nvim:server_status()
  nvim.release()
  nvim:wait_for_message('edit cancelled')
  expect(not nvim:shows('writing') and not nvim:shows('stopping'), 'it is gone')
  equal(nvim:lua([[return #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('redraft.progress'), 0, -1, {})]]), 0)
end

local function it_stands_where_the_user_looks(start)
  local nvim = start_held(start, { setup = { keymaps = true } })
  nvim:keys('12G:11,100RedraftEdit add b<CR>')
  nvim:wait(function() return row_with(nvim, 'cancels') == 11 end, 'beside the first line of the selection')
  nvim:keys('gg2O# new<Esc>')
  nvim:wait(function() return row_with(nvim, '\\rc cancels') == 13 end, 'it follows the text')
  nvim:keys('Gzt')
  nvim:wait(function() return row_with(nvim, 'cancels') == 1 end, 'at the top of the window')
  nvim:keys('gg\\rc')
  nvim:wait(function() return has_said(nvim, 'stopping') end, 'the key cancels')
  nvim.release()
  nvim:wait(function() return not nvim:shows('cancels') end, 'the end')
end

local function an_edit_that_waits_says_so(start)
  local nvim = start_held(start)
  nvim:keys(':1,80RedraftEdit add b<CR>')
  nvim:wait(function() return has_said(nvim, 'writing, ') end, 'the first')
  nvim:keys(':101,120RedraftEdit add b<CR>')
  nvim:keys('100Gzt')
  nvim:wait(function() return row_with(nvim, 'waiting for its turn') == 2 end, 'the second')
  nvim.release()
  nvim:wait_for_end()
  nvim:wait(function() return not nvim:shows('cancels') end, 'both have ended')
end

local function edited(start, settings)
  local nvim = start({ server = scripted.server('x = 1', 'x = 2'), setup = settings })
  nvim:open('a.py', 'x = 1\n')
  nvim:keys(':%RedraftEdit two<CR>')
  nvim:wait_for_end(1)
  return nvim
end

local function changes_out_of_sight_are_told(start)
  local edits = { { find = 'return x', replace = 'return x + b' } }
  local nvim = start({ server = scripted.start({ edits = edits }), setup = { keymaps = true } })
  nvim:open('a.py', text)
  nvim:keys(':141,150RedraftEdit add b<CR>')
  nvim:wait_for_end(2)
  nvim:wait_for_message('redraft: 2 changes, the first in line 143 (]r goes there)')
  nvim:keys(']r:RedraftReject!<CR>:141,145RedraftEdit add b<CR>')
  nvim:wait_for_end(1)
  equal(nvim:lua([[return require('redraft.say').last]]), 'redraft: 2 changes, the first in line 143 (]r goes there)')
end

local function what_was_typed_does_not_stay(start)
  local nvim = start({ server = scripted.server('x = 1', 'x = 2'), terminal = true })
  nvim:open('a.py', 'x = 1\n')
  nvim:lua([[vim.schedule(function() require('redraft').edit() end)]])
  nvim:wait(function() return nvim:shows('how should this be edited?') end, 'the prompt')
  nvim:keys('two<CR>')
  nvim:wait_for_end(1)
  expect(not nvim:shows('how should this be edited?'), 'the prompt is gone')
end

local function the_keys_stand_beside_a_change(start)
  local nvim = edited(start, { keymaps = true })
  expect(nvim:shows('x = 2  \\ra accept  \\rr reject  \\rA all'), 'the default keys')
end

local function without_keys_the_commands_do(start)
  local nvim = edited(start)
  expect(nvim:shows('x = 2  :RedraftAccept  :RedraftReject  :RedraftAccept! all  :RedraftAnother'), 'the commands')
end

local function keys_of_the_user_are_known(start)
  local nvim = start({ server = scripted.server('x = 1', 'x = 2'), setup = { keymaps = true } })
  nvim:open('a.py', 'x = 1\n')
  nvim:lua([[vim.keymap.set('n', 'ga', '<Plug>(redraft-accept)')
    vim.keymap.set('n', ' A', '<Cmd>RedraftAccept!<CR>')
    vim.keymap.del('n', '\\rA')
    vim.keymap.set('n', '\\rr', 'j', { buffer = true })]])
  nvim:keys(':%RedraftEdit two<CR>')
  nvim:wait_for_end(1)
  expect(nvim:shows('x = 2  ga accept  :RedraftReject  <Space>A all'), 'keys that are really mapped')
end

local function on_a_narrow_screen_they_stand_below(start)
  local nvim = start({ server = scripted.server('b = 1', 'c = 1'), width = 60 })
  local line = 'a = "a text that takes most of a narrow screen"; b = 1'
  nvim:open('a.py', line .. '\n')
  nvim:keys(':%RedraftEdit rename<CR>')
  nvim:wait_for_end(1)
  local screen = nvim:screen()
  equal({ screen[3], screen[4] }, { '  :RedraftAccept  :RedraftReject  :RedraftAccept! all', '  :RedraftAnother' })
end

return {
  { 'what an edit is at is said', what_an_edit_is_at_is_said },
  { 'it stands where the user looks', it_stands_where_the_user_looks },
  { 'an edit that waits says so', an_edit_that_waits_says_so },
  { 'changes out of sight are told', changes_out_of_sight_are_told },
  { 'what was typed does not stay', what_was_typed_does_not_stay },
  { 'the keys stand beside a change', the_keys_stand_beside_a_change },
  { 'without keys the commands do', without_keys_the_commands_do },
  { 'keys of the user are known', keys_of_the_user_are_known },
  { 'on a narrow screen they stand below', on_a_narrow_screen_they_stand_below },
}
