-- Ghost text as a person sees it: it appears while typing, and is accepted with keys or typed over.
local check = require('check')
local equal, expect = check.equal, check.expect
local scripted = require('scripted')

local fills = {
  { after = 'area = ', write = 'width * height' },
  { after = 'def f():\n    ', write = 'x = 1\n    return x' },
  { after = 'f(', write = 'one, two)' },
  { after = 'say("', write = "it's me (again)\")" },
  { after = '\tif x:\n\t\t', write = 'return 1' },
}

local function open(start, name, text)
  local nvim = start({
    server = scripted.start({ edits = { { find = 'old', replace = 'fresh' } }, fills = fills }),
    setup = { keymaps = true },
  })
  nvim:open(name, text)
  return nvim
end

local function until_shown(nvim, text)
  nvim:wait(function() return nvim:shows(text) end, 'the ghost text "' .. text .. '"')
end

local function a_suggestion_appears_and_tab_takes_it(start)
  local nvim = open(start, 'a.py', 'x = 1\n')
  nvim:keys('Goarea = ')
  until_shown(nvim, 'area = width * height')
  equal(nvim:lines(), { 'x = 1', 'area = ' }) -- nothing has entered the buffer
  nvim:keys('<Tab>')
  nvim:wait_for_lines({ 'x = 1', 'area = width * height' })
  nvim:keys(' + 1<Esc>')
  nvim:wait_for_lines({ 'x = 1', 'area = width * height + 1' })
  nvim:wait(function()
    return nvim:server_status().completion.accepted == 1
  end, 'the count of what was accepted')
end

local function tab_still_indents(start)
  local nvim = open(start, 'a.py', 'x = 1\n')
  nvim:command('set expandtab shiftwidth=4 softtabstop=4')
  nvim:keys('Go<Tab>y = 2<Esc>')
  nvim:wait_for_lines({ 'x = 1', '    y = 2' })
end

local function what_is_typed_of_it_is_no_longer_shown(start)
  local nvim = open(start, 'a.py', 'x = 1\n')
  nvim:keys('Goarea = ')
  until_shown(nvim, 'area = width * height')
  nvim:keys('wid')
  until_shown(nvim, 'area = width * height')
  equal(nvim:lines(), { 'x = 1', 'area = wid' })
  nvim:keys('e')
  nvim:wait(function() return not nvim:shows('height') end, 'the end of the ghost text')
end

local function by_words_and_by_lines(start)
  local nvim = open(start, 'a.py', 'def f():\n')
  nvim:command('set noautoindent indentexpr=')
  nvim:keys('Go    ')
  until_shown(nvim, '    return x')
  nvim:keys('<M-Right>')
  nvim:wait_for_lines({ 'def f():', '    x' })
  until_shown(nvim, '    x = 1')
  nvim:keys('<M-Down>')
  nvim:wait_for_lines({ 'def f():', '    x = 1' })
  until_shown(nvim, '    return x')
  nvim:keys('<M-Down>')
  nvim:wait_for_lines({ 'def f():', '    x = 1', '    return x' })
end

local function it_can_be_dismissed(start)
  local nvim = open(start, 'a.py', 'x = 1\n')
  nvim:keys('Goarea = ')
  until_shown(nvim, 'width * height')
  nvim:keys('<C-]>')
  nvim:wait(function() return not nvim:shows('height') end, 'the end of the ghost text')
  nvim:wait(function() return nvim:server_status().completion.rejected == 1 end, 'the server is told')
  nvim:keys('w') -- it continues what was turned down
  nvim:wait(function()
    local why = nvim:server_status().completion.whyNone
    return type(why) == 'string' and why:find('rejected', 1, true)
  end, 'the same is not suggested again')
  expect(not nvim:shows('height'), 'nothing is shown')
  nvim:keys('<Esc>')
  equal(nvim:lines(), { 'x = 1', 'area = w' })
end

-- As plugins do it.
local function what_the_editor_closed_is_not_written_again(start)
  local nvim = open(start, 'a.py', 'x = 1\n')
  nvim:command([[inoremap ( ()<Left>]])
  nvim:command([[inoremap " ""<Left>]])
  nvim:keys('Gof(')
  until_shown(nvim, 'f(one, two)')
  nvim:keys('<Tab>')
  nvim:wait_for_lines({ 'x = 1', 'f(one, two)' })
  nvim:keys('<Esc>osay("')
  until_shown(nvim, [[say("it's me (again)")]])
  nvim:keys('<Tab><Esc>')
  nvim:wait_for_lines({ 'x = 1', 'f(one, two)', [[say("it's me (again)")]] })
end

-- What the menu has selected is in the buffer while it is open: ghost text would continue what may go again.
local function beside_the_editors_own_menu_there_is_none(start)
  local nvim = open(start, 'a.py', 'area = 1\narray = 2\n')
  nvim:command('set completeopt=menu,menuone,noinsert')
  nvim:keys('Goarea = ')
  until_shown(nvim, 'width * height')
  nvim:keys('ar<C-N>')
  nvim:wait(function() return nvim:lua([[return vim.fn.pumvisible() == 1]]) end, 'the menu')
  nvim:wait(function() return not nvim:lua([[return require('redraft.ghost').is_visible()]]) end, 'no ghost text beside it')
  nvim:keys('<C-E><BS><BS>')
  until_shown(nvim, 'width * height')
  nvim:keys('<Tab><Esc>')
  nvim:wait_for_lines({ 'area = 1', 'array = 2', 'area = width * height' })
end

local function it_can_be_snoozed(start)
  local nvim = open(start, 'a.py', 'x = 1\n')
  nvim:keys(':RedraftSnooze<CR>')
  nvim:wait_for_message('no suggestions for 10 minutes')
  nvim:keys('Goarea = ')
  nvim:wait(function()
    local why = nvim:server_status().completion.whyNone
    return type(why) == 'string' and why:find('snoozed', 1, true)
  end, 'nothing is suggested')
  expect(not nvim:shows('width'), 'nothing is shown')
  nvim:keys('<M-]>') -- who asks gets it
  until_shown(nvim, 'width * height')
  nvim:keys('<Esc>:RedraftStatus<CR>')
  nvim:wait(function() return nvim:shows('Suggestions are snoozed until') end, 'the status says so')
  nvim:keys('q:RedraftResume<CR>')
  nvim:wait_for_message('suggestions are on again')
  nvim:keys('A<BS> ')
  until_shown(nvim, 'width * height')
  nvim:keys('<Esc>:RedraftSnooze language<CR>')
  nvim:wait_for_message('no suggestions for python, until :RedraftResume')
  nvim:keys(':RedraftSnooze file<CR>')
  nvim:wait_for_message('no suggestions in this file')
  local snooze = nvim:server_status().snooze
  equal({ #snooze.files, snooze.languages }, { 1, { 'python' } })
  nvim:keys(':RedraftSnooze sometime<CR>')
  nvim:wait_for_message('takes a number of minutes, file, language or restart')
end

local function leaving_insert_mode_takes_it_away_and_undo_takes_it_back(start)
  local nvim = open(start, 'a.py', 'x = 1\n')
  nvim:keys('Goarea = ')
  until_shown(nvim, 'width * height')
  nvim:keys('<Tab>')
  nvim:wait_for_lines({ 'x = 1', 'area = width * height' })
  nvim:keys('<Esc>u')
  nvim:wait_for_lines({ 'x = 1', 'area = ' })
  nvim:keys('A')
  until_shown(nvim, 'width * height')
  nvim:keys('<Esc>')
  nvim:wait(function() return not nvim:shows('height') end, 'the end of the ghost text')
end

local function several_can_be_gone_through(start)
  local nvim = open(start, 'a.py', 'x = 1\n')
  nvim:keys('Goarea = ')
  until_shown(nvim, 'width * height')
  nvim:keys('<M-]>')
  nvim:wait(function()
    return nvim:lua([[return #(require('redraft.ghost').items() or {})]]) > 1
  end, 'more suggestions')
  nvim:keys('<M-]>')
  nvim:wait(function() return not nvim:shows('width * height') end, 'another suggestion')
  nvim:keys('<M-[>')
  until_shown(nvim, 'width * height')
end

local function files_of_other_line_endings_keep_them(start)
  local nvim = open(start, 'a.py', 'def f():\r\n')
  nvim:command('set noautoindent indentexpr=')
  nvim:keys('Go    ')
  until_shown(nvim, '    return x')
  nvim:keys('<Tab><Esc>')
  nvim:wait_for_lines({ 'def f():', '    x = 1', '    return x' })
  equal(nvim:saved(), 'def f():\r\n    x = 1\r\n    return x\r\n')
end

local function tabs_are_shown_as_wide_as_they_are(start)
  local nvim = open(start, 'a.py', 'def f():\n\tif x:\n')
  nvim:command('set noautoindent indentexpr= noexpandtab')
  nvim:keys('Go<C-V><Tab><C-V><Tab>')
  until_shown(nvim, 'return 1')
  nvim:keys('<Tab><Esc>')
  nvim:wait_for_lines({ 'def f():', '\tif x:', '\t\treturn 1' })
end

local function why_there_is_none_can_be_asked(start)
  local nvim = open(start, 'a.py', 'x = 1\n')
  nvim:keys('Gonobody knows ')
  nvim:wait(function()
    local completion = nvim:server_status().completion
    return type(completion.whyNone) == 'string' and completion.whyNone:find('nothing to add', 1, true)
  end, 'the reason')
  nvim:keys('<Esc>:RedraftStatus<CR>')
  nvim:wait(function() return nvim:shows('The last suggestion: ') and nvim:shows('nothing to add') end, 'the reason is shown')
  expect(nvim:shows('model ready: ') and nvim:shows('decoder redraft'), 'the state is shown')
end

return {
  { 'a suggestion appears and Tab takes it', a_suggestion_appears_and_tab_takes_it },
  { 'Tab still indents', tab_still_indents },
  { 'what is typed of it is no longer shown', what_is_typed_of_it_is_no_longer_shown },
  { 'by words and by lines', by_words_and_by_lines },
  { 'it can be dismissed', it_can_be_dismissed },
  { 'what the editor closed is not written again', what_the_editor_closed_is_not_written_again },
  { "beside the editor's own menu there is none", beside_the_editors_own_menu_there_is_none },
  { 'it can be snoozed', it_can_be_snoozed },
  { 'leaving insert mode takes it away, undo takes it back', leaving_insert_mode_takes_it_away_and_undo_takes_it_back },
  { 'several can be gone through', several_can_be_gone_through },
  { 'files of other line endings keep them', files_of_other_line_endings_keep_them },
  { 'tabs are shown as wide as they are', tabs_are_shown_as_wide_as_they_are },
  { 'why there is none can be asked', why_there_is_none_can_be_asked },
}
