-- Ghost text as a person sees it: it appears while typing, and is accepted with keys or typed over.
local check = require('check')
local equal, expect = check.equal, check.expect
local scripted = require('scripted')

local fills = {
  { after = 'area = ', write = 'width * height' },
  { after = 'def f():\n    ', write = 'x = 1\n    return x' },
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
  nvim:keys('<Esc>')
  equal(nvim:lines(), { 'x = 1', 'area = ' })
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
  { 'leaving insert mode takes it away, undo takes it back', leaving_insert_mode_takes_it_away_and_undo_takes_it_back },
  { 'several can be gone through', several_can_be_gone_through },
  { 'files of other line endings keep them', files_of_other_line_endings_keep_them },
  { 'tabs are shown as wide as they are', tabs_are_shown_as_wide_as_they_are },
  { 'why there is none can be asked', why_there_is_none_can_be_asked },
}
