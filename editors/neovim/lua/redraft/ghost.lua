-- Ghost text: the model's suggestion, shown after the cursor in insert mode and accepted as a whole, by words or by
-- lines. The server carries a suggestion forward while the user types it, so every change sends a new request.
local Question = require('redraft.question')
local view = require('redraft.view')

local M = {}

local client_name = 'redraft'
local namespace = vim.api.nvim_create_namespace('redraft.ghost')
local methods = {
  ask = 'textDocument/inlineCompletion',
  shown = 'textDocument/didShowCompletion',
  partial = 'textDocument/didPartiallyAcceptCompletion',
}
local invoked, automatic = 1, 2

---@class redraft.Ghost
---@field buf integer
---@field client_id integer
---@field items table[] the server's items, the best first
---@field index integer
---@field text string the rest of the item's text
---@field row integer
---@field col integer
local shown ---@type redraft.Ghost? there is only one cursor
local question = Question.new()
local told ---@type table? the item that the server knows to be shown

vim.api.nvim_set_hl(0, 'RedraftGhost', { link = 'NonText', default = true })

local function client_of(buf)
  for _, client in ipairs(vim.lsp.get_clients({ name = client_name, bufnr = buf })) do
    if client.server_capabilities.inlineCompletionProvider then
      return client
    end
  end
end

local function cursor()
  local place = vim.api.nvim_win_get_cursor(0)
  return place[1] - 1, place[2]
end

local function erase()
  if shown and vim.api.nvim_buf_is_valid(shown.buf) then
    vim.api.nvim_buf_clear_namespace(shown.buf, namespace, 0, -1)
  end
end

local function take_away()
  question:cancel()
  erase()
  shown = nil
end

M.clear = take_away  -- without rejecting it

local function tell(client, command, arguments)
  client:request('workspace/executeCommand', { command = command, arguments = arguments }, function() end)
end

--- Rejects the suggestion: it disappears and is not made again.
function M.dismiss()
  local client = shown and vim.lsp.get_client_by_id(shown.client_id)
  local ours = shown and shown.items[shown.index].command
  if client and ours then
    tell(client, 'redraft.completionRejected', ours.arguments)
  end
  take_away()
end

--- The server's suggestions at the cursor; nil while nothing is shown.
---@return table[]?
function M.items()
  return shown and shown.items
end

---@return boolean
function M.is_visible()
  return shown ~= nil
end

local function draw()
  erase()
  local lines = vim.split(shown.text, '\n', { plain = true })
  local tabstop = vim.bo[shown.buf].tabstop
  local virtual = {}
  for i = 2, #lines do
    virtual[#virtual + 1] = { { view.printable(lines[i], tabstop), 'RedraftGhost' } }
  end
  vim.api.nvim_buf_set_extmark(shown.buf, namespace, shown.row, shown.col, {
    virt_text = { { view.printable(lines[1], tabstop), 'RedraftGhost' } },
    virt_text_pos = 'inline',
    virt_lines = #virtual > 0 and virtual or nil,
    hl_mode = 'combine',
  })
end

--- The part of the item's text after the cursor. The text that it replaces must precede the cursor.
local function text_of(item, buf, row, col, encoding)
  local text = type(item.insertText) == 'table' and item.insertText.value or item.insertText
  text = text:gsub('\r\n', '\n')
  if not item.range then
    return text
  end
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  local first = item.range.start
  if first.line ~= row then
    return nil
  end
  local before = line:sub(vim.str_byteindex(line, encoding, first.character, false) + 1, col)
  return vim.startswith(text, before) and text:sub(#before + 1) or nil
end

local function show_item(ghost, index)
  local client = vim.lsp.get_client_by_id(ghost.client_id)
  local item = ghost.items[index]
  local text = client and text_of(item, ghost.buf, ghost.row, ghost.col, client.offset_encoding)
  if not text or text == '' then
    return take_away()
  end
  erase()
  shown = ghost
  shown.index, shown.text = index, text
  draw()
  if told ~= item then
    told = item
    client:notify(methods.shown, { item = item })
  end
end

local function ask(buf, kind)
  local client = client_of(buf)
  if not client or not vim.bo[buf].modifiable then
    return take_away()
  end
  local row, col = cursor()
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  local line = vim.api.nvim_get_current_line()
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buf) },
    position = { line = row, character = vim.str_utfindex(line, client.offset_encoding, col, false) },
    context = { triggerKind = kind },
  }
  question:ask(client, methods.ask, params, function(err, result)
    local now_row, now_col = cursor()
    local same_place = vim.api.nvim_get_current_buf() == buf and now_row == row and now_col == col
      and vim.api.nvim_buf_get_changedtick(buf) == tick and vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
    if err or not same_place then
      return
    end
    local items = result and result ~= vim.NIL and (result.items or result) or {}
    if #items == 0 then
      return take_away()
    end
    show_item({ buf = buf, client_id = client.id, items = items, index = 1, text = '', row = row, col = col }, 1)
  end, buf)
end

--- While the user types the suggestion, it shrinks at once; the server's answer follows.
local function follow(buf)
  if not shown or shown.buf ~= buf then
    return take_away()
  end
  local row, col = cursor()
  local line = vim.api.nvim_get_current_line()
  local typed = row == shown.row and col >= shown.col and line:sub(shown.col + 1, col) or nil
  if not typed or #typed >= #shown.text or not vim.startswith(shown.text, typed) then
    erase()
    shown = nil
    return
  end
  shown.text = shown.text:sub(#typed + 1)
  shown.col = col
  draw()
end

local function on_change(buf)
  follow(buf)
  ask(buf, automatic)
end

--- The cursor moved without a change: the suggestion belongs to another place.
local function on_move(buf)
  local row, col = cursor()
  if shown and (shown.buf ~= buf or shown.row ~= row or shown.col ~= col) then
    take_away()
  end
end

local function insert(text)
  local row, col = shown.row, shown.col
  local lines = vim.split(text, '\n', { plain = true })
  vim.cmd('let &g:undolevels = &g:undolevels')  -- an accepted part is one undo step
  vim.api.nvim_buf_set_text(shown.buf, row, col, row, col, lines)
  local last = #lines == 1 and col + #text or #lines[#lines]
  vim.api.nvim_win_set_cursor(0, { row + #lines, last })
  shown.row, shown.col = row + #lines - 1, last
end

local function utf16_length(text)
  return vim.str_utfindex(text, 'utf-16', #text, false)
end

--- Inserts the part of the suggestion that `part` finds; returns false if nothing is shown.
local function accept(part)
  if not shown then
    return false
  end
  local text = part(shown.text)
  local item = shown.items[shown.index]
  local client = vim.lsp.get_client_by_id(shown.client_id)
  erase()
  insert(text)
  shown.text = shown.text:sub(#text + 1)
  if shown.text == '' then
    shown = nil
    if client and item.command then
      tell(client, item.command.command, item.command.arguments)
    end
  else
    draw()
    if client then
      client:notify(methods.partial, { item = item, acceptedLength = utf16_length(text) })
    end
  end
  return true
end

---@return boolean taken
function M.accept()
  return accept(function(text) return text end)
end

---@return boolean taken
function M.accept_word()
  return accept(function(text)
    return text:match('^%s*[%w_\128-\255]+') or text:match('^%s*[^%w_%s]+') or text
  end)
end

---@return boolean taken
function M.accept_line()
  return accept(function(text)
    return text:match('^\n*[^\n]+') or text
  end)
end

--- Shows the next suggestion (step 1) or the previous one (-1); requests more if there is only one.
---@param step 1|-1
function M.cycle(step)
  if shown and #shown.items > 1 then
    local items = #shown.items
    show_item(shown, (shown.index - 1 + step) % items + 1)
  else
    ask(vim.api.nvim_get_current_buf(), invoked)
  end
end

--- Enables suggestions in every buffer that the server handles.
function M.enable()
  local group = vim.api.nvim_create_augroup('redraft.ghost', {})
  local on = function(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = function(event) callback(event.buf) end })
  end
  on({ 'TextChangedI', 'InsertEnter' }, on_change)
  on({ 'CursorMovedI' }, on_move)
  on({ 'InsertLeave', 'BufLeave', 'TextChangedP' }, take_away)
  on({ 'BufEnter' }, function(buf)
    local client = client_of(buf)
    if client then
      client:notify('textDocument/didFocus', { textDocument = { uri = vim.uri_from_bufnr(buf) } })
    end
  end)
end

function M.disable()
  take_away()
  vim.api.nvim_create_augroup('redraft.ghost', {})
end

return M
