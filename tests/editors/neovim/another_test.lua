-- Another try of an edit: who gets which answer, and what is said where there is none.
local check = require('check')
local equal, expect = check.equal, check.expect
local scripted = require('scripted')

local function start_recorded(start, server, settings)
  return start({ server = server, setup = settings, record = true })
end

local function wait_for_another(nvim, earlier)
  nvim:wait(function()
    local edit = nvim:edit()
    return edit and edit.id and edit.id ~= earlier and edit.state == 'done'
  end, 'the other try')
  return nvim:edit().id
end

local function last_message(nvim)
  return nvim:lua([[return require('redraft.say').last]])
end

local function it_takes_the_place_of_the_answer(start)
  local nvim = start_recorded(start, scripted.server('x = 1', 'x = 2'), { keymaps = true })
  nvim:open('a.txt', 'x = 1\n') -- no language in which an answer can be wrong
  nvim:keys(':RedraftEdit two<CR>')
  nvim:wait_for_end(1)
  local first = nvim:edit().id
  expect(nvim:shows('x = 2  \\ra accept  \\rr reject  \\rA all  \\rt another try'), 'the key stands beside the change')
  nvim:keys('\\rt')
  local second = wait_for_another(nvim, first)
  nvim:keys('\\rt')
  local third = wait_for_another(nvim, second)
  nvim:keys('\\rt')
  wait_for_another(nvim, third)
  expect(nvim:shows('x = 3  \\ra accept  \\rr reject  \\rA all  \\rt another try'), 'another answer, in place of the first')
  expect(not nvim:shows('x = 2'), 'the first answer is gone')
  equal(nvim:lines(), { 'x = 1' })
  local requests = nvim:wait_for_requests(4)
  equal(vim.tbl_map(function(request) return request.another or 0 end, requests), { 0, 1, 2, 3 })
  for _, request in ipairs(requests) do
    request.another = nil
    equal(request, requests[1])
  end
  local function decided()
    return vim.tbl_map(function(each) return each[2].action end, nvim:told('redraft/resolveEdit'))
  end
  nvim:wait(function() return vim.deep_equal(decided(), { 'reject', 'reject', 'reject' }) end, 'what was decided')
  local marks = nvim:lua([[return vim.api.nvim_buf_get_extmarks(0, require('redraft.view').namespace, 0, -1, {})]])
  equal(#marks, 2 * #nvim:edit().hunks) -- of one edit
end

local function where_nothing_changed_it_is_named(start)
  local nvim = start_recorded(start, scripted.server('x = 2', 'x = 3'))
  nvim:open('a.py', 'x = 1\n\n\ndef f():\n    return x\n')
  nvim:keys(':RedraftEdit three<CR>')
  nvim:wait_for_message('the model changed nothing. You can widen the region, rephrase the instruction, or request another try '
    .. '(<M-Up> at the prompt widens, :RedraftAnother tries again)')
  equal(nvim:edit(), nil)
  nvim:keys(':RedraftAnother<CR>')
  wait_for_another(nvim)
  expect(#nvim:edit().hunks > 0, 'it changes something')
  equal(nvim:wait_for_requests(2)[2].another, 1)
end

local function what_was_accepted_is_undone_first(start)
  local nvim = start_recorded(start, scripted.server('a\nb\nc\nd', 'A\nb\nc\nD'), { keymaps = true })
  nvim:open('a.txt', 'a\nb\nc\nd\n')
  nvim:keys('gg:%RedraftEdit capitals<CR>')
  nvim:wait_for_end(2)
  nvim:keys('\\ra')
  nvim:wait_for_lines({ 'A', 'b', 'c', 'd' })
  nvim:wait(function() return not nvim:shows('another try') end, 'it is not offered')
  nvim:keys('\\rt')
  nvim:wait_for_message('no other try: changes of this edit were accepted. Undo them first')
  equal(#nvim:edit().hunks, 1)
  nvim:keys('u')
  nvim:wait_for_lines({ 'a', 'b', 'c', 'd' })
  local first = nvim:edit().id
  nvim:keys('\\rt')
  wait_for_another(nvim, first)
  equal(nvim:wait_for_requests(2)[2].another, 1)
  equal(nvim:lines(), { 'a', 'b', 'c', 'd' })
end

local function another_text_has_no_other_try(start)
  local nvim = start_recorded(start, scripted.server('a = 1', 'a = 2'))
  nvim:open('a.py', 'a = 1\n')
  nvim:keys(':%RedraftEdit two<CR>')
  nvim:wait_for_end(1)
  nvim:keys('Gob = 1<Esc>:RedraftAnother<CR>')
  nvim:wait_for_message('no other try: the text has changed since. Request the edit again')
  nvim:wait_for_hunks(1)
  nvim:keys(':set nomodifiable<CR>:RedraftAnother<CR>')
  nvim:wait_for_message('the buffer is not modifiable')
  nvim:wait_for_hunks(1)
  nvim:wait_for_requests(1)
end

local function without_one_it_is_said(start)
  local nvim = start_recorded(start, scripted.server('return 1', 'yield 7'))
  nvim:open('a.py', 'def f():\n    return 1\n')
  nvim:keys(':RedraftAnother<CR>')
  nvim:wait_for_message('no edit of this buffer has finished yet')
  nvim:lua([[vim.fn.setreg('z', 'def f():\n    # ... existing code ...\n    yield 7\n')]]) -- which the model puts in
  nvim:keys(':RedraftApply z<CR>')
  nvim:wait_for_end(1)
  expect(not nvim:shows('RedraftAnother'), 'none is offered')
  nvim:keys(':RedraftAnother<CR>')
  nvim:wait_for_message('there is no other try of this edit. Rephrase the instruction')
  nvim:wait_for_hunks(1)
end

local function when_there_are_no_more_it_is_said(start)
  local nvim = start_recorded(start, scripted.server('a = 2', 'a = 3'))
  nvim:open('a.py', 'a = 1\n')
  nvim:keys(':%RedraftEdit three<CR>')
  nvim:wait_for_message('another try')
  nvim:lua([[require('redraft.client').ended(vim.api.nvim_get_current_buf()).next_try = 1000]])
  nvim:keys(':RedraftAnother<CR>')
  nvim:wait(function() return last_message(nvim):find('^redraft: no other try: there are no more than %d+ other tries') end, 'why')
  nvim:keys(':RedraftAnother<CR>')
  nvim:wait_for_message('there is no other try of this edit')
end

local function one_that_was_cancelled_can_be_had_again(start)
  local held = scripted.held('x = 1', 'x = 2', '')
  local nvim = start_recorded(start, held.server)
  nvim:open('a.py', 'x = 1\n')
  nvim:keys(':%RedraftEdit two<CR>')
  nvim:wait_for_end(1)
  held.hold()
  nvim:keys(':RedraftAnother<CR>')
  nvim:wait(function() return nvim:edit() and nvim:edit().state == 'running' and nvim:edit().id end, 'the other try')
  nvim:keys(':RedraftAnother<CR>')
  nvim:wait_for_message('the edit is still running. Request another try when it has finished')
  nvim:keys(':RedraftCancel<CR>')
  nvim:server_status()
  held.release()
  nvim:wait_for_message('edit cancelled')
  nvim:keys(':RedraftAnother<CR>')
  wait_for_another(nvim)
  equal(vim.tbl_map(function(request) return request.another or 0 end, nvim:wait_for_requests(3)), { 0, 1, 1 })
end

return {
  { 'another try takes the place of the answer', it_takes_the_place_of_the_answer },
  { 'where nothing changed it is named', where_nothing_changed_it_is_named },
  { 'what was accepted is undone first', what_was_accepted_is_undone_first },
  { 'another text has no other try', another_text_has_no_other_try },
  { 'without one it is said', without_one_it_is_said },
  { 'when there are no more it is said', when_there_are_no_more_it_is_said },
  { 'one that was cancelled can be had again', one_that_was_cancelled_can_be_had_again },
}
