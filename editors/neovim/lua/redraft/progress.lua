-- The note beside the lines of a running edit: its phase, and how to cancel it.
local keys = require('redraft.keys')
local note = require('redraft.note')

local M = {}

local namespace = vim.api.nvim_create_namespace('redraft.progress')
local frames = { '⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏' }
local interval = 100 -- milliseconds

---@class redraft.Progress
---@field buf integer
---@field place integer the mark at the first line; it follows the text
---@field note integer? the mark of what is shown
---@field phase fun(): string?
local shown = {} ---@type redraft.Progress[]
local timer = assert(vim.uv.new_timer())
local frame = 1

local function define_highlights()
  vim.api.nvim_set_hl(0, 'RedraftProgress', { link = 'Visual', default = true })
end

define_highlights()
vim.api.nvim_create_autocmd('ColorScheme', {
  group = vim.api.nvim_create_augroup('redraft.progress', {}),
  callback = define_highlights,
})

local function draw(progress)
  local buf, phase = progress.buf, progress.phase()
  if not phase or not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local first = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, progress.place, {})[1]
  local text = ('%s %s  %s cancels'):format(frames[frame], phase, (keys.of(buf, 'cancel')))
  progress.note = note.draw(buf, namespace, first or 0, text, 'RedraftProgress', progress.note)
end

--- Updates the display.
function M.refresh()
  vim.iter(shown):each(draw)
end

local function tick()
  frame = frame % #frames + 1
  M.refresh()
end

local function mark(buf, row, id)
  return vim.api.nvim_buf_set_extmark(buf, namespace, math.min(row, vim.api.nvim_buf_line_count(buf) - 1), 0, { id = id })
end

--- Shows it until `stop`.
---@param buf integer
---@param row integer where the lines begin
---@param phase fun(): string? what the edit is at; nil: nothing is shown for now
---@return redraft.Progress
function M.start(buf, row, phase)
  local progress = { buf = buf, place = mark(buf, row), phase = phase }
  table.insert(shown, progress)
  draw(progress)
  if not timer:is_active() then
    timer:start(interval, interval, vim.schedule_wrap(tick))
  end
  return progress
end

--- Moves the note to the new first line.
---@param progress redraft.Progress
---@param row integer
function M.move(progress, row)
  mark(progress.buf, row, progress.place)
end

---@param progress redraft.Progress
function M.stop(progress)
  shown = vim.tbl_filter(function(each) return each ~= progress end, shown)
  if vim.api.nvim_buf_is_valid(progress.buf) then
    for _, id in pairs({ progress.place, progress.note }) do
      vim.api.nvim_buf_del_extmark(progress.buf, namespace, id)
    end
  end
  if #shown == 0 then
    timer:stop()
  end
end

return M
