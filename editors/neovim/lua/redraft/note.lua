-- A short text at the right edge of the window, beside lines of the buffer.
local M = {}

--- The row of the note: the first of the lines, or the window's first row if that is out of sight.
---@param buf integer
---@param first integer 0-based
---@return integer
local function row_of(buf, first)
  local window = vim.api.nvim_get_current_buf() == buf and vim.api.nvim_get_current_win() or vim.fn.bufwinid(buf)
  if window < 0 then
    return first
  end
  local top, bottom = vim.fn.line('w0', window) - 1, vim.fn.line('w$', window) - 1
  return first >= top and first <= bottom and first or top
end

--- Draws the note, replacing the mark `id` if there is one.
---@param buf integer
---@param namespace integer
---@param first integer
---@param text string
---@param highlight string
---@param id integer?
---@return integer id
function M.draw(buf, namespace, first, text, highlight, id)
  local row = math.min(row_of(buf, first), vim.api.nvim_buf_line_count(buf) - 1)
  return vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, {
    id = id, virt_text = { { (' %s '):format(text), highlight } }, virt_text_pos = 'right_align', priority = 200,
  })
end

return M
