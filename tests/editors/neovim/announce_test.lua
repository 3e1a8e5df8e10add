-- What is announced before an edit is requested: the lines that show, and what the server is told.
local check = require('check')
local equal, expect = check.equal, check.expect
local scripted = require('scripted')

-- Function N, from 0, is lines 6 N + 3 to 6 N + 6.
local function functions(n)
  local text = { 'import os\n\n' }
  for i = 0, n - 1 do
    table.insert(text, ('def f%d(a, b):\n    x = a + %d\n    y = b * 2\n    pass\n\n\n'):format(i, i))
  end
  return table.concat(text)
end

local text = functions(80) -- too large to be edited as a whole
local prompt = 'how should this be edited?'

-- A Neovim with a server that records what it is told; keeps every text for the statusline.
local function start_recorded(start)
  local nvim = start({ server = scripted.server('pass', 'return x + y'), record = true })
  nvim:lua([[Statuses = {}
    vim.api.nvim_create_autocmd('User', { pattern = 'RedraftStatus', callback = function()
      table.insert(Statuses, require('redraft').status())
    end })]])
  -- What the server was told of reading ahead and of edits.
  nvim.announced = function()
    return nvim:told('redraft/prepare', 'redraft/stopPreparing', 'workspace/executeCommand')
  end
  nvim.methods = function()
    return vim.tbl_map(function(each) return each[1] end, nvim.announced())
  end
  nvim.wait_for_methods = function(methods)
    nvim:wait(function() return vim.deep_equal(nvim.methods(), methods) end, 'the messages ' .. table.concat(methods, ', '))
  end
  nvim.wait_for_status = function(status)
    nvim:wait(function() return nvim:status() == status end, 'the status ' .. status)
  end
  nvim.saw_status = function(pattern)
    return vim.iter(nvim:lua('return Statuses')):any(function(status) return status:find(pattern) ~= nil end)
  end
  nvim:open('a.py', text)
  return nvim
end

-- The lines of the buffer that are highlighted up to the right edge of the screen.
local function highlighted(nvim)
  return nvim:lua([[vim.cmd.redraw()
    local lines, top = {}, vim.fn.line('w0')
    local plain = vim.fn.screenattr(1, vim.o.columns - 40)
    for row = 1, vim.fn.line('w$') - top + 1 do
      if vim.fn.screenattr(row, vim.o.columns - 40) ~= plain then table.insert(lines, top + row - 1) end
    end
    return lines]])
end

local function position(line, character)
  return { line = line, character = character }
end

local function open_prompt(nvim)
  nvim:keys('101G4|:RedraftEdit<CR>')
  nvim:wait(function() return nvim:shows(prompt) end, 'the prompt')
end

local function the_prompt_shows_the_lines(start)
  local nvim = start_recorded(start)
  open_prompt(nvim)
  nvim:keys('return the su')
  nvim.wait_for_status('redraft: edit function f16, 4 lines, read')
  expect(nvim.saw_status('^redraft: edit function f16, 4 lines, reading %d+ %%$'), vim.inspect(nvim:lua('return Statuses')))
  equal(highlighted(nvim), { 99, 100, 101, 102 })
  expect(nvim:shows('redraft: edit function f16, 4 lines, read'), 'the note beside the text')
  nvim:keys('m')
  nvim:wait(function() return nvim:shows(prompt .. ' return the sum') end, 'the prompt with what was typed')
  -- The server writes its recording after it has answered.
  nvim:wait(function() return nvim.announced()[1] and nvim:told('redraft/region')[1] end, 'the recording')
  local place = nvim.announced()[1][2]
  equal(place.range, { start = position(98, 0), ['end'] = position(102, 0) })
  equal(place.scope, 'selection')
  local cursor = nvim:told('redraft/region')[1][2]
  equal({ cursor.range, cursor.scope }, { { start = position(100, 3), ['end'] = position(100, 3) }, 'auto' })
  nvim:keys('<Esc>')
  nvim.wait_for_methods({ 'redraft/prepare', 'redraft/stopPreparing' })
  nvim.wait_for_status('')
  equal(highlighted(nvim), {})
  expect(not nvim:shows('function f16'), 'the note is gone')
  equal(nvim:edit(), nil)
end

local function the_edit_is_of_what_was_announced(start)
  local nvim = start_recorded(start)
  open_prompt(nvim)
  nvim:wait(function() return #highlighted(nvim) > 0 end, 'the lines')
  nvim:keys('return the sum<CR>')
  nvim:wait_for_end(1)
  expect(nvim.saw_status('^redraft: lines 99%-102, %d+ %%, %d changes?$'), vim.inspect(nvim:lua('return Statuses')))
  expect(not nvim:shows('edit function f16'), 'the note is gone')
  nvim.wait_for_methods({ 'redraft/prepare', 'workspace/executeCommand' }) -- the edit ends the reading itself
  local place, edit = nvim.announced()[1][2], nvim.announced()[2][2].arguments[1]
  equal(place, { textDocument = edit.textDocument, range = edit.range, scope = edit.scope, cursor = position(100, 3) })
end

local class = 'import os\nimport sys\n\n\nclass Store:\n    size = 0\n    limit = 1\n\n    # On top.\n    @property\n'
  .. '    def top(self):\n        x = 1\n        pass\n\n    def rest(self):\n        pass\n'

-- Opens the prompt at a line of that class; returns a function that waits for what is named and highlighted.
local function open_prompt_at(nvim, line)
  nvim:keys((':set nowrapscan<CR>%dG:RedraftEdit<CR>'):format(line))
  nvim:wait(function() return nvim:shows(prompt) end, 'the prompt')
  return function(title, first, last)
    nvim.wait_for_status('redraft: ' .. title .. ', read')
    expect(nvim:shows('redraft: ' .. title), 'the note "' .. title .. '"')
    equal(highlighted(nvim), vim.iter(vim.fn.range(first, last)):totable())
  end
end

local function the_region_is_widened_and_narrowed(start)
  local nvim = start_recorded(start)
  nvim:open('b.py', class)
  local shows = open_prompt_at(nvim, 12)
  shows('edit method top, 5 lines', 9, 13)
  nvim:keys('<M-Down>')
  shows('edit part of method top, 2 lines', 12, 13)
  nvim:keys('<M-Down>')
  shows('edit part of method top, 1 line', 12, 12)
  nvim:keys('<M-Down>') -- there is no smaller one
  nvim:keys('<M-Up><M-Up>')
  shows('edit method top, 5 lines', 9, 13)
  nvim:keys('<M-Up>')
  shows('edit class Store, 12 lines', 5, 16)
  nvim:keys('return the sum<CR>')
  nvim:wait_for_end(2)
  local told = nvim.announced()
  equal(told[#told][2].arguments[1].range, { start = position(4, 0), ['end'] = position(16, 0) })
  equal(nvim:lua([[return { vim.fn.maparg('<M-Up>', 'c'), vim.fn.maparg('<M-Up>', 'i') }]]), { '', '' })
end

local function a_place_to_insert_is_named(start)
  local nvim = start_recorded(start)
  nvim:open('b.py', class)
  local shows = open_prompt_at(nvim, 8)
  nvim.wait_for_status('redraft: insert at line 8, read')
  expect(nvim:shows('redraft: insert at line 8'), 'the note')
  equal(highlighted(nvim), {})
  nvim:keys('<M-Up>')
  shows('edit class Store, 12 lines', 5, 16)
  nvim:keys('<M-Down><Esc>')
end

local function keys_of_the_user_come_back(start)
  local nvim = start_recorded(start)
  nvim:lua([[require('redraft.config').values.region_keys = { widen = '<C-g>', narrow = '' }
    vim.keymap.set('c', '<C-g>', 'mine')]])
  nvim:open('b.py', class)
  local shows = open_prompt_at(nvim, 12)
  shows('edit method top, 5 lines', 9, 13)
  nvim:keys('<C-g>')
  shows('edit class Store, 12 lines', 5, 16)
  nvim:keys('<Esc>')
  nvim:wait(function() return nvim:lua([[return vim.fn.maparg('<C-g>', 'c')]]) == 'mine' end, 'the mapping of the user')
end

local function a_selection_that_stands_is_announced(start)
  local nvim = start_recorded(start)
  nvim:keys('100GVj')
  nvim.wait_for_methods({ 'redraft/prepare' })
  local lines = vim.split(text, '\n')
  local place = nvim.announced()[1][2]
  equal(place.range, { start = position(99, 0), ['end'] = position(100, #lines[101]) })
  equal(place.scope, nil)
  nvim.wait_for_status('redraft: lines 100-101, read')
  nvim:keys(':') -- the instruction may follow
  nvim:wait(function() return nvim:call('get_mode').mode == 'c' end, 'the command line')
  equal(nvim:status(), 'redraft: lines 100-101, read')
  nvim:keys('<C-u><Esc>')
  nvim.wait_for_methods({ 'redraft/prepare', 'redraft/stopPreparing' })
  nvim.wait_for_status('')
end

-- Stops Neovim's clock: a timer that is started waits in Held until it is fired.
local function hold_timers(nvim)
  nvim:lua([[vim.uv.new_timer = function()
      local timer = {}
      function timer:start(delay, _, callback) Held = { delay = delay, fire = callback } end
      function timer:stop() Held = nil end
      return timer
    end]])
end

local function a_selection_that_changes_is_not_announced(start)
  local nvim = start_recorded(start)
  nvim:lua([[require('redraft.jumps').disable()]]) -- it has a timer of its own
  hold_timers(nvim)
  local held = function() return nvim:lua('return Held and Held.delay or false') end
  nvim:keys('100GV')
  nvim:wait(held, 'the timer')
  equal(held(), 300)
  nvim:lua('Earlier = Held')
  nvim:keys('j')
  nvim:wait(function() return nvim:lua('return Held ~= Earlier') end, 'the timer that was started again')
  nvim:keys('<Esc>')
  nvim:wait(function() return not held() end, 'the end of the timer')
  nvim:lua('Earlier.fire()') -- as if it had been too late to stop it
  nvim:server_status()
  equal(nvim.methods(), {})
  nvim:keys('103GV')
  nvim:wait(held, 'the timer')
  nvim:lua('Held.fire()')
  nvim.wait_for_methods({ 'redraft/prepare' })
  nvim:lua('Held.fire()') -- the same lines: nothing new
  nvim:keys('j')
  nvim:wait(function() return nvim:call('win_get_cursor', 0)[1] == 104 end, 'the other line')
  nvim:lua('Held.fire()')
  nvim.wait_for_methods({ 'redraft/prepare', 'redraft/prepare' })
  equal(nvim.announced()[2][2].range['end'].line, 103)
end

local function a_change_ends_what_was_announced(start)
  local nvim = start_recorded(start)
  nvim:lua([[vim.ui.input = function(_, answer) Answer = answer end]]) -- a window, as plugins have it
  nvim:keys('101G:RedraftEdit<CR>')
  nvim:wait(function() return #highlighted(nvim) == 4 end, 'the lines')
  nvim:keys('ggO# new<Esc>')
  nvim.wait_for_methods({ 'redraft/prepare', 'redraft/stopPreparing' })
  equal(nvim:lua([[local all = vim.api.nvim_get_namespaces()['redraft.announce']
    return vim.api.nvim_buf_get_extmarks(0, all, 0, -1, {})]]), {})
  nvim:keys('102G')
  nvim:lua([[Answer('return the sum')]])
  nvim:wait_for_end(1)
end

local function an_older_server_is_told_nothing(start)
  local nvim = start_recorded(start)
  nvim:lua([[vim.lsp.get_clients()[1].server_capabilities.experimental.redraft.prepare = nil]])
  open_prompt(nvim)
  nvim:keys('return the sum<CR>')
  nvim:wait_for_end(1)
  nvim.wait_for_methods({ 'workspace/executeCommand' })
end

-- The lines, from 0, at which the server was told to expect completions.
local function expected(nvim)
  return vim.tbl_map(function(each) return each[2].position.line end, nvim:told('redraft/expectCompletion'))
end

local function a_jump_is_told(start)
  local nvim = start_recorded(start)
  nvim:keys('gg')
  nvim:wait(function() return vim.deep_equal(expected(nvim), { 0 }) end, 'the place where the file was opened')
  nvim:keys('200G')
  nvim:wait(function() return vim.deep_equal(expected(nvim), { 0, 199 }) end, 'the jump')
  nvim:keys('5j')
  nvim:keys('V400G')
  nvim:keys('<Esc>gg')
  nvim:wait(function() return vim.deep_equal(expected(nvim), { 0, 199, 0 }) end, 'the jump, and no other place')
  nvim:keys('300GO# new<Esc>') -- completions are requested there
  nvim:keys('310G')
  nvim:keys('100G')
  nvim:wait(function() return #expected(nvim) >= 4 end, 'the last jump')
  equal(expected(nvim), { 0, 199, 0, 99 }) -- not where something was typed
end

local function an_older_server_is_told_of_no_jump(start)
  local nvim = start_recorded(start)
  nvim:lua([[vim.lsp.get_clients()[1].server_capabilities.experimental.redraft.expectCompletion = nil]])
  local known = #expected(nvim)
  nvim:keys('200G')
  nvim:lua('vim.wait(700)') -- longer than a cursor has to rest
  nvim:server_status()
  equal(#expected(nvim), known)
end

-- What has the name is known beyond the lines that show, and no model is asked.
local function a_rename_goes_by_the_cursor(start)
  local held = scripted.held('a\n', 'b\n', 'b')
  local nvim = start({ server = held.server })
  held.hold()
  local before = { 'class Store:', '    size = 1', '', '    def area(self):', '        return self.size', '', 'Store().size' }
  nvim:open('a.py', table.concat(before, '\n') .. '\n')
  nvim:keys('5G$:RedraftEdit<CR>')
  nvim:wait(function() return nvim:shows('edit method area, 2 lines') end, 'the region')
  nvim:keys('rename self.size to width<CR>')
  nvim:wait_for_end(3)
  equal(nvim:status(), 'redraft: 3 changes') -- no model, no tokens
  nvim:keys(':RedraftAccept!<CR>')
  local after = vim.tbl_map(function(line) return (line:gsub('size', 'width')) end, before)
  nvim:wait_for_lines(after)
  held.release()
end

return {
  { 'a rename goes by the cursor', a_rename_goes_by_the_cursor },
  { 'a jump is told', a_jump_is_told },
  { 'an older server is told of no jump', an_older_server_is_told_of_no_jump },
  { 'the prompt shows the lines', the_prompt_shows_the_lines },
  { 'the edit is of what was announced', the_edit_is_of_what_was_announced },
  { 'the region is widened and narrowed', the_region_is_widened_and_narrowed },
  { 'a place to insert is named', a_place_to_insert_is_named },
  { 'keys of the user come back', keys_of_the_user_come_back },
  { 'a selection that stands is announced', a_selection_that_stands_is_announced },
  { 'a selection that changes is not announced', a_selection_that_changes_is_not_announced },
  { 'a change ends what was announced', a_change_ends_what_was_announced },
  { 'an older server is told nothing', an_older_server_is_told_nothing },
}
