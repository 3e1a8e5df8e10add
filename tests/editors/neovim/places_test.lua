-- Edits of a file: which places are taken, and how the user has further ones edited.
local check = require('check')
local equal, expect = check.equal, check.expect
local scripted = require('scripted')

-- Function N, from 0, is lines 6 N + 3 to 6 N + 6.
local function functions(n)
  local text = { 'import os\n\n' }
  for i = 0, n - 1 do
    table.insert(text, ('def step%d(a, b):\n    x = a + %d\n    y = b * 2\n    pass\n\n\n'):format(i, i))
  end
  return table.concat(text)
end

local text = functions(160) -- too large to be edited as a whole, however fast the machine is

local function start_recorded(start, edits)
  local server = scripted.start({ edits = edits or { { find = 'pass', replace = 'return x + y' } } })
  local nvim = start({ server = server, record = true })
  nvim:lua([[Statuses = {}
    vim.api.nvim_create_autocmd('User', { pattern = 'RedraftStatus', callback = function()
      table.insert(Statuses, require('redraft').status())
    end })
    vim.ui.select = function(items, options, on_choice)
      Offered = { prompt = options.prompt, texts = vim.tbl_map(options.format_item, items) }
      Choose = function(n) on_choice(items[n]) end
    end]])
  nvim.offered = function()
    nvim:keys(':RedraftMore<CR>')
    nvim:wait(function() return nvim:lua('return Offered ~= nil') end, 'the choice')
    return nvim:lua('local offered = Offered Offered = nil return offered')
  end
  nvim:open('a.py', text)
  return nvim
end

local function rows_of_hunks(nvim)
  return vim.tbl_map(function(hunk) return hunk.range[1] end, nvim:edit().hunks)
end

local function the_places_are_named(start)
  local nvim = start_recorded(start)
  nvim:keys(':RedraftFile let step3 and step70 return it<CR>')
  nvim:wait_for_end(2)
  equal(rows_of_hunks(nvim), { 6 * 3 + 5, 6 * 70 + 5 })
  local request = nvim:wait_for_requests(1)[1]
  equal({ request.scope, request.range, request.instruction }, { 'file', nil, 'let step3 and step70 return it' })
  local told = nvim:lua('return Statuses')
  local status = 'redraft: editing 2 of 161 places: step3, step70, '
  expect(vim.iter(told):any(function(each) return vim.startswith(each, status) end), vim.inspect(told))
  nvim:wait_for_message('redraft: edited 2 of 161 places (:RedraftMore offers 50 more): step3')
  expect(nvim:shows('edited 2 of 161 places (:RedraftMore offers 50 more): step3'), 'the message is on the screen')
end

local function of_many_some_are_named(start)
  local nvim = start_recorded(start)
  nvim:keys(':RedraftFile let step3, step20, step40, step60 and step80 return it<CR>')
  nvim:wait_for_end(5)
  local told = nvim:lua('return Statuses')
  local status = 'redraft: editing 5 of 161 places: step3, step20, step40 and 2 more, '
  expect(vim.iter(told):any(function(each) return vim.startswith(each, status) end), vim.inspect(told))
  nvim:wait_for_message('edited 5 of 161 places')
  local message = nvim:messages():match('redraft: edited 5 of 161 places[^\n]*')
  expect(vim.fn.strdisplaywidth(message) < 90, message .. ': more than a line')
end

local function it_asks_for_the_instruction(start)
  local nvim = start_recorded(start)
  nvim:keys(':RedraftFile<CR>')
  nvim:wait(function() return nvim:shows('how should this file be edited?') end, 'the prompt')
  nvim:keys('<CR>:RedraftFile<CR>let step3 return it<CR>')
  nvim:wait_for_end(1)
  nvim:wait_for_requests(1)
end

local function one_goes_from_place_to_place(start)
  local nvim = start_recorded(start)
  nvim:keys(':RedraftFile let step3 and step70 return it<CR>')
  nvim:wait_for_end(2)
  nvim:keys('gg:lua require("redraft").jump(1)<CR>')
  nvim:wait(function() return nvim:call('win_get_cursor', 0)[1] == 6 * 3 + 6 end, 'the first place')
  nvim:keys(':RedraftAccept<CR>:lua require("redraft").jump(1)<CR>')
  nvim:wait(function() return nvim:call('win_get_cursor', 0)[1] == 6 * 70 + 6 end, 'the second place')
  nvim:keys(':RedraftReject<CR>')
  nvim:wait(function() return nvim:edit() == nil end, 'the end')
  equal({ nvim:lines()[6 * 3 + 6], nvim:lines()[6 * 70 + 6] }, { '    return x + y', '    pass' })
end

local function number_of(offered, name)
  for i, each in ipairs(offered.texts) do
    if vim.startswith(each, name .. ' ') then
      return i
    end
  end
  error(name .. ' is not offered: ' .. vim.inspect(offered))
end

local function further_places_follow_the_text(start)
  local nvim = start_recorded(start)
  nvim:keys(':RedraftFile let step3 return it<CR>')
  nvim:wait_for_end(1)
  nvim:keys(':RedraftAccept!<CR>')
  nvim:keys('ggO# one<CR># two<Esc>') -- everything moves down
  nvim:wait(function() return nvim:lines()[2] == '# two' end, 'the lines')
  nvim:lua([[vim.api.nvim_buf_set_lines(0, 6 * 5 + 4, 6 * 5 + 8, true, {}) -- and step5 goes
    vim.cmd('29s/a, b/a, b, c')
    vim.api.nvim_buf_set_lines(0, 28, 28, true, { '# of step3' })]])
  local offered = nvim.offered()
  equal(offered.prompt, 'redraft: edit further places? "let step3 return it"')
  expect(not vim.iter(offered.texts):any(function(each) return vim.startswith(each, 'step5 ') end), 'step5 is gone')
  expect(not vim.iter(offered.texts):any(function(each) return vim.startswith(each, 'step3 ') end), 'step3 is done')
  local n = number_of(offered, 'step4')
  equal(offered.texts[n], 'step4 (line 30)')
  equal(offered.texts[#offered.texts], ('all %d of them'):format(#offered.texts - 1))
  nvim:lua('Choose(...)', n)
  nvim:wait_for_end(1)
  local request = nvim:wait_for_requests(2)[2]
  equal(request.instruction, 'let step3 return it')
  equal({ request.scope, request.range, #request.ranges }, { nil, nil, 1 })
  equal({ request.ranges[1].start.line, request.ranges[1]['end'].line }, { 29, 33 })
  equal(rows_of_hunks(nvim), { 32 })
  nvim:wait_for_message(('edited 1 place (:RedraftMore offers %d more): def step4(a, b, c):'):format(#offered.texts - 2))
  expect(#nvim.offered().texts < #offered.texts, 'what was chosen is not offered again')
end

local function all_of_them(start)
  local nvim = start_recorded(start)
  nvim:keys(':RedraftFile let step3 return it<CR>')
  nvim:wait_for_end(1)
  nvim:keys(':RedraftAccept!<CR>')
  local offered = nvim.offered()
  nvim:lua('Choose(...)', #offered.texts)
  nvim:wait(function() return #nvim:requested() == 2 and nvim:edit() ~= nil end, 'the second edit')
  nvim:wait_for_end()
  equal(#nvim:wait_for_requests(2)[2].ranges, #offered.texts - 1)
  nvim:keys(':RedraftMore<CR>')
  nvim:wait_for_message('no places are left')
end

local function where_nothing_is_found_it_says_what_to_do(start)
  local nvim = start_recorded(start, { { find = 'something else', replace = '' } })
  nvim:keys(':RedraftFile qqq<CR>')
  nvim:wait_for_message('redraft: found no part of the file that the instruction concerns: name the function or class, select')
  equal(nvim:edit(), nil)
  nvim:keys(':RedraftMore<CR>')
  nvim:wait_for_message('no places are left in this buffer. :RedraftFile finds some')
end

-- A plugin's window for choosing does not keep the text from changing.
local function what_is_chosen_late_is_where_it_is_then(start)
  local nvim = start_recorded(start)
  nvim:keys(':RedraftFile let step3 return it<CR>')
  nvim:wait_for_end(1)
  local offered = nvim.offered()
  nvim:keys('ggO# one<Esc>')
  nvim:wait(function() return nvim:lines()[1] == '# one' end, 'the line')
  nvim:lua('Choose(...)', number_of(offered, 'step9'))
  nvim:wait(function() return #nvim:requested() == 2 end, 'the second edit')
  equal(nvim:wait_for_requests(2)[2].ranges[1].start.line, 6 * 9 + 3)
  offered = nvim.offered()
  nvim:lua('vim.api.nvim_buf_set_lines(0, 3, -1, true, {})')
  nvim:lua('Choose(...)', number_of(offered, 'step8'))
  nvim:wait_for_message('no places are left in this buffer')
  nvim:wait_for_requests(2)
end

local function a_change_before_the_places_are_told(start)
  local nvim = start_recorded(start)
  nvim:lua([[require('redraft').edit_file({ instruction = 'let step3 return it' })
    vim.api.nvim_buf_set_lines(0, 0, 0, true, { '# one', '# two' })]])
  nvim:wait_for_end(1)
  local offered = nvim.offered()
  equal(offered.texts[number_of(offered, 'step4')], 'step4 (line 29)')
end

local function what_is_left_of_another_search_is_not_taken(start)
  local nvim = start_recorded(start)
  nvim:keys(':RedraftFile let step3 return it<CR>')
  nvim:wait_for_end(1)
  nvim.offered()
  nvim:keys(':RedraftFile let step70 return it<CR>')
  nvim:wait_for_end(2)
  nvim:lua('Choose(1)')
  nvim:wait_for_message('other places were found meanwhile. Choose again')
  nvim:wait_for_requests(2)
end

return {
  { 'the places are named', the_places_are_named },
  { 'of many some are named', of_many_some_are_named },
  { 'it asks for the instruction', it_asks_for_the_instruction },
  { 'one goes from place to place', one_goes_from_place_to_place },
  { 'further places follow the text', further_places_follow_the_text },
  { 'all of them', all_of_them },
  { 'where nothing is found it says what to do', where_nothing_is_found_it_says_what_to_do },
  { 'what is chosen late is where it is then', what_is_chosen_late_is_where_it_is_then },
  { 'a change before the places are told', a_change_before_the_places_are_told },
  { 'what is left of another search is not taken', what_is_left_of_another_search_is_not_taken },
}
