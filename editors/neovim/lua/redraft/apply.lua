-- Applies the edits in the server's answer to an accept, byte for byte, after checking that they match the text.
local view = require('redraft.view')

local M = {}

local function text_edits(edit)
  local edits = {}
  for _, group in pairs(edit.documentChanges or vim.tbl_map(function(list) return { edits = list } end, edit.changes)) do
    vim.list_extend(edits, group.edits)
  end
  return edits
end

local function line_at(buf, row)
  return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
end

local function to_bytes(buf, position, encoding)
  local line = line_at(buf, position.line)
  return { position.line, vim.str_byteindex(line, encoding, position.character, false) }
end

--- Whether the buffer has carriage returns that count as line ends for the server but not for Neovim. After one, their
--- line numbers differ.
---@param buf integer
---@return boolean
function M.has_stray_returns(buf)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, true)
  local is_unix = vim.bo[buf].fileformat == 'unix'
  for i, line in ipairs(lines) do
    local has_newline = i < #lines or vim.bo[buf].endofline
    -- In a file of format "unix", a return at the end of a line belongs to the line ending "\r\n".
    if line:find(is_unix and has_newline and '\r.' or '\r') then
      return true
    end
  end
  return false
end

local function comes_before(a, b)
  for _, edge in ipairs({ 'start', 'end' }) do  -- an insertion precedes an edit that begins at its position
    local x, y = a.range[edge], b.range[edge]
    if x.line ~= y.line then
      return x.line < y.line
    elseif x.character ~= y.character then
      return x.character < y.character
    end
  end
  return false
end

--- Whether the buffer has each hunk's old text where `edit` replaces it.
---@param buf integer
---@param edit lsp.WorkspaceEdit
---@param hunks (redraft.Hunk|false)[] the hunks that `edit` consists of, in file order
---@param encoding string
---@return boolean
function M.fits(buf, edit, hunks, encoding)
  local edits = text_edits(edit)
  table.sort(edits, comes_before)
  for i = 1, math.max(#edits, #hunks) do
    if not (edits[i] and hunks[i]) then
      return false
    end
    local first = to_bytes(buf, edits[i].range.start, encoding)
    local last = to_bytes(buf, edits[i].range['end'], encoding)
    if not view.fits(buf, { first[1], first[2], last[1], last[2] }, hunks[i].old_text) then
      return false
    end
  end
  return true
end

--- Neovim adds an empty line after text that is inserted beyond the last line. Such an insertion is moved to the end of
--- the last line instead, where it means the same.
local function fit_to_buffer(edits, buf, encoding, with_returns)
  local n_lines = vim.api.nvim_buf_line_count(buf)
  local last_line = line_at(buf, n_lines - 1)
  local last_end = { line = n_lines - 1, character = vim.str_utfindex(last_line, encoding, #last_line) }
  for _, change in ipairs(edits) do
    if change.range.start.line >= n_lines then
      change.range = { start = last_end, ['end'] = last_end }
      local text = with_returns and change.newText or change.newText:gsub('\r\n?', '\n')
      change.newText = '\n' .. text:gsub('\n$', '')
    end
  end
end

--- Like vim.lsp.util, but keeps "\r" in the inserted text.
local function set_text(buf, change, encoding)
  local first = to_bytes(buf, change.range.start, encoding)
  local last = to_bytes(buf, change.range['end'], encoding)
  local new_text = change.newText
  local n_lines = vim.api.nvim_buf_line_count(buf)
  if last[1] >= n_lines then -- just after the final newline, which stays
    last = { n_lines - 1, #line_at(buf, n_lines - 1) }
    if new_text == '' and first[2] == 0 and first[1] > 0 then
      first = { first[1] - 1, #line_at(buf, first[1] - 1) }
    end
    new_text = new_text:gsub('\n$', '')
  end
  vim.api.nvim_buf_set_text(buf, first[1], first[2], last[1], last[2], vim.split(new_text, '\n', { plain = true }))
end

--- Applies `edit`, which must match the buffer.
---@param buf integer
---@param edit lsp.WorkspaceEdit
---@param encoding string
function M.apply(buf, edit, encoding)
  local edits = text_edits(edit)
  -- A file with mixed endings has format "unix": the "\r" of its "\r\n" is text. In other formats it is not.
  local with_returns = vim.bo[buf].fileformat == 'unix'
    and vim.iter(edits):any(function(change) return change.newText:find('\r', 1, true) ~= nil end)
  if with_returns then
    table.sort(edits, comes_before)
  end
  fit_to_buffer(edits, buf, encoding, with_returns)
  if not with_returns then
    return vim.lsp.util.apply_text_edits(edits, buf, encoding)  -- by the buffer: one without a name has no URI
  end
  for i = #edits, 1, -1 do  -- from the bottom, so that the ranges above stay valid
    set_text(buf, edits[i], encoding)
  end
end

return M
