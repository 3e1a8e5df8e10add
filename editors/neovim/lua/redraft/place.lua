-- Adjusts ranges to changes of the buffer. A hunk refers to the version of the buffer that the server knew. Until the
-- server has seen later changes, the client must place the hunk itself. Then extmarks follow the text.
local M = {}

---@class redraft.Range 0-based lines, byte columns, end exclusive
---@field [1] integer start line
---@field [2] integer start column
---@field [3] integer end line
---@field [4] integer end column

---@class redraft.Change lines [first, last) of the buffer became lines [first, new_last)
---@field tick integer the buffer's version after it
---@field first integer
---@field last integer
---@field new_last integer

--- The range after `change`; a range within the changed lines keeps its place (the caller compares texts).
---@param range redraft.Range
---@param change redraft.Change
---@return redraft.Range
function M.shift(range, change)
  -- A range that ends at the start of a line does not touch that line.
  local last_line = (range[4] == 0 and range[3] > range[1]) and range[3] - 1 or range[3]
  local delta = change.new_last - change.last
  if delta == 0 or last_line < change.first or range[1] < change.last then
    return range
  end
  return { range[1] + delta, range[2], range[3] + delta, range[4] }
end

--- Adjusts `range` from `version` to all later changes.
---@param range redraft.Range
---@param version integer
---@param changes redraft.Change[]
---@return redraft.Range
function M.carry(range, version, changes)
  for _, change in ipairs(changes) do
    if change.tick > version then
      range = M.shift(range, change)
    end
  end
  return range
end

--- The buffer's text in `range` with "\n" between lines; nil if the range exceeds the buffer.
---@param buf integer
---@param range redraft.Range
---@return string?
function M.text(buf, range)
  local n_lines = vim.api.nvim_buf_line_count(buf)
  local last_row, last_col = range[3], range[4]
  local tail = ''
  if last_row == n_lines and last_col == 0 then -- just after the final newline
    if range[1] == n_lines then
      return ''
    end
    last_row = n_lines - 1
    last_col = #vim.api.nvim_buf_get_lines(buf, last_row, last_row + 1, true)[1]
    tail = '\n'
  end
  local ok, lines = pcall(vim.api.nvim_buf_get_text, buf, range[1], range[2], last_row, last_col, {})
  return ok and table.concat(lines, '\n') .. tail or nil
end

return M
