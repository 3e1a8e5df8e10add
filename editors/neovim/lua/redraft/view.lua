-- Draws hunks: deleted text is highlighted, new text is shown in virtual lines below it. The buffer is not changed.
local float = require('redraft.float')
local place = require('redraft.place')

local M = {}

M.namespace = vim.api.nvim_create_namespace('redraft')

local function define_highlights()
  vim.api.nvim_set_hl(0, 'RedraftDelete', { link = 'DiffDelete', default = true })
  vim.api.nvim_set_hl(0, 'RedraftAdd', { link = 'DiffAdd', default = true })
  vim.api.nvim_set_hl(0, 'RedraftDoubt', { link = 'DiagnosticWarn', default = true })
  vim.api.nvim_set_hl(0, 'RedraftHint', { link = 'NonText', default = true })
end

define_highlights()
vim.api.nvim_create_autocmd('ColorScheme', {
  group = vim.api.nvim_create_augroup('redraft.view', {}),
  callback = define_highlights,
})

--- Tabs as spaces and control characters as ^X, because virtual text displays neither.
local function printable(line, tabstop)
  local out, column = {}, 0
  for piece, tab in line:gmatch('([^\t]*)(\t?)') do
    local shown = vim.fn.strtrans(piece)
    column = column + vim.fn.strdisplaywidth(shown)
    out[#out + 1] = shown
    if tab ~= '' then
      local width = tabstop - column % tabstop
      out[#out + 1] = (' '):rep(width)
      column = column + width
    end
  end
  return table.concat(out)
end

local function with_newlines(text)
  return (text:gsub('\r\n?', '\n'))
end

local function split_lines(text)
  return vim.split(with_newlines(text), '\n', { plain = true })
end

--- How to draw the replacement of `range` by `new_text`: the resulting new lines, and the line below which to show them
--- (-1: above the first).
---@param buf integer
---@param range redraft.Range
---@param new_text string
---@return string[] new_lines
---@return integer below
function M.layout(buf, range, new_text)
  local first_row, first_col, last_row, last_col = range[1], range[2], range[3], range[4]
  local n_lines = vim.api.nvim_buf_line_count(buf)
  local line_at = function(row)  -- in a file with mixed endings, lines end in "\r"
    return ((vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''):gsub('\r$', ''))
  end
  local lines = split_lines(new_text)
  local whole_lines = first_col == 0 and last_col == 0
  if whole_lines and (new_text == '' or lines[#lines] == '' or last_row >= n_lines) then
    if lines[#lines] == '' then
      table.remove(lines)
    end
    return lines, math.min(last_row, n_lines) - 1
  end
  local first_line, last_line = line_at(first_row), line_at(last_row)
  if first_row == last_row and first_col == last_col and first_col == #first_line and lines[1] == '' and #lines > 1 then
    table.remove(lines, 1)  -- new lines after an unchanged line
    return lines, first_row
  end
  lines[1] = first_line:sub(1, first_col) .. lines[1]
  lines[#lines] = lines[#lines] .. last_line:sub(last_col + 1)
  return lines, math.min(last_row, n_lines - 1)
end

--- How many cells of a line the window shows.
local function text_width(buf)
  local window = vim.fn.bufwinid(buf)
  if window < 0 then
    return vim.o.columns
  end
  local info = vim.fn.getwininfo(window)[1]
  return math.max(info.width - info.textoff, 1)
end

--- The parts side by side, in lines of `room` cells.
local function rows_of(parts, room)
  local rows = {}
  for _, part in ipairs(parts) do
    local row = rows[#rows] and rows[#rows] .. '  ' .. part
    if row and vim.fn.strdisplaywidth(row) <= room then
      rows[#rows] = row
    else
      table.insert(rows, '  ' .. part)
    end
  end
  return rows
end

--- The new lines, notes about them, and the hint: beside the first line if there is room, otherwise below.
local function virtual_lines(buf, lines, notes)
  local room, width, texts = text_width(buf), 0, {}
  for i, line in ipairs(lines) do
    texts[i] = printable(line, vim.bo[buf].tabstop)
    width = math.max(width, vim.fn.strdisplaywidth(texts[i]))
  end
  local shown = vim.tbl_map(function(text)
    return { { text .. (' '):rep(width - vim.fn.strdisplaywidth(text)), 'RedraftAdd' } }
  end, texts)
  for _, part in ipairs(notes.doubt and float.wrap('! ' .. vim.fn.strtrans(notes.doubt), room) or {}) do
    table.insert(shown, { { part, 'RedraftDoubt' } })
  end
  for _, part in ipairs(notes.note and float.wrap(vim.fn.strtrans(notes.note), room) or {}) do
    table.insert(shown, { { part, 'RedraftHint' } })
  end
  local hint = rows_of(notes.hint or {}, room)
  if #hint == 1 and #lines > 0 and width + vim.fn.strdisplaywidth(hint[1]) <= room then
    table.insert(shown[1], { hint[1], 'RedraftHint' })
  else
    vim.list_extend(shown, vim.tbl_map(function(row) return { { row, 'RedraftHint' } } end, hint))
  end
  return shown
end

--- Virtual lines above the first line are hidden unless the window leaves room for them.
local function leave_room_above(buf, n_lines)
  for _, window in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(window, function()
      if vim.fn.line('w0') == 1 then
        vim.fn.winrestview({ topfill = n_lines })
      end
    end)
  end
end

--- Draws or redraws a hunk. `marks` are its present extmarks.
---@param buf integer
---@param range redraft.Range
---@param new_text string
---@param marks { old: integer?, new: integer? }?
---@param notes { doubt: string?, note: string?, hint: string[]? }? what is wrong with it, where it comes from, and the
--- keys that decide on it
---@return { old: integer, new: integer }
function M.draw(buf, range, new_text, marks, notes)
  marks = marks or {}
  local lines, below = M.layout(buf, range, new_text)
  local shown = virtual_lines(buf, lines, notes or {})
  local old = vim.api.nvim_buf_set_extmark(buf, M.namespace, range[1], range[2], {
    id = marks.old, end_row = range[3], end_col = range[4], hl_group = 'RedraftDelete', hl_eol = true, priority = 150,
  })
  local new = vim.api.nvim_buf_set_extmark(buf, M.namespace, math.max(below, 0), 0, {
    id = marks.new, virt_lines = shown, virt_lines_above = below < 0,
  })
  if below < 0 then
    leave_room_above(buf, #shown)
  end
  return { old = old, new = new }
end

--- The current range of the hunk's old text.
---@return redraft.Range?
function M.range(buf, marks)
  local mark = vim.api.nvim_buf_get_extmark_by_id(buf, M.namespace, marks.old, { details = true })
  if not mark[1] then
    return nil
  end
  return { mark[1], mark[2], mark[3].end_row or mark[1], mark[3].end_col or mark[2] }
end

function M.erase(buf, marks)
  if marks and vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_del_extmark(buf, M.namespace, marks.old)
    vim.api.nvim_buf_del_extmark(buf, M.namespace, marks.new)
  end
end

--- Whether the buffer has `old_text` at `range`; if not, the hunk is only drawn after the server has moved it.
function M.fits(buf, range, old_text)
  local text = place.text(buf, range)
  return text ~= nil and with_newlines(text) == with_newlines(old_text)
end

M.printable = printable

return M
