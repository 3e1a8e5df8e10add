-- Windows over the text, for messages that do not fit on one line.
local M = {}

local namespace = vim.api.nvim_create_namespace('redraft.float')
local max_width = 80

--- Whether a function is Neovim's own, not a plugin's replacement.
---@param func function
---@return boolean
function M.is_neovims(func)
  local source = debug.getinfo(func, 'S').source
  local is_stripped = source:match('^=?%?$') ~= nil  -- the form of functions that are built into Neovim 0.12
  return is_stripped or vim.startswith(source, '@vim/') or vim.startswith(source, '@' .. vim.env.VIMRUNTIME)
end

--- Breaks a line between words, or within one that is too long.
---@param line string
---@param width integer screen cells
---@return string[]
function M.wrap(line, width)
  local lines, rest = {}, line
  while vim.fn.strdisplaywidth(rest) > width do
    local fits = vim.fn.strcharlen(rest)
    local last_space
    for i = 1, fits do
      if vim.fn.strdisplaywidth(vim.fn.strcharpart(rest, 0, i, 1)) > width then
        fits = math.max(i - 1, 1)
        break
      end
    end
    for i = fits + 1, 2, -1 do  -- a space at the edge may be dropped too
      if vim.fn.strcharpart(rest, i - 1, 1, 1) == ' ' then
        last_space = i
        break
      end
    end
    table.insert(lines, vim.fn.strcharpart(rest, 0, last_space and last_space - 1 or fits, 1))
    rest = vim.fn.strcharpart(rest, last_space or fits, #rest, 1)
  end
  return vim.list_extend(lines, { rest })
end

local function text_width()
  return math.max(math.min(max_width, vim.o.columns - 4), 1)
end

local function wrapped(lines)
  local width = text_width()
  local all = {}
  for _, line in ipairs(lines) do
    vim.list_extend(all, M.wrap(line, width))
  end
  return all
end

--- Without the command line and the status line above it.
local function rows_of_screen()
  return vim.o.lines - vim.o.cmdheight - 1
end

--- Size and position, at least `width` wide: in the middle of the screen, or in the lower right corner.
local function shape_of(lines, width, is_note)
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local rows = rows_of_screen()
  local height = math.max(math.min(#lines, rows - 2), 1)
  width = math.min(width, vim.o.columns - 2)
  local shape = { relative = 'editor', style = 'minimal', border = 'rounded', width = width, height = height }
  if is_note then
    return vim.tbl_extend('error', shape, { anchor = 'SE', row = rows, col = vim.o.columns })
  end
  return vim.tbl_extend('error', shape, {
    row = math.max(math.floor((rows - height - 2) / 2), 0), col = math.max(math.floor((vim.o.columns - width - 2) / 2), 0),
  })
end

local function fill(buf, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  vim.bo[buf].modifiable = false
end

local function new_buffer(lines)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  fill(buf, lines)
  return buf
end

local function close(window)
  if vim.api.nvim_win_is_valid(window) then
    pcall(vim.api.nvim_win_close, window, true)  -- not allowed in the command-line window
  end
end

---@class redraft.Float
---@field buf integer
---@field window integer
---@field width integer of its frame
local Float = {}
Float.__index = Float

--- Opens a window and moves the cursor into it; q and <Esc> close it.
---@param title string
---@param lines string[]
---@param footer string?
---@return redraft.Float
function M.open(title, lines, footer)
  lines = wrapped(lines)
  local buf = new_buffer(lines)
  local frame = { title = (' %s '):format(title), footer = footer and (' %s '):format(footer) }
  local width = math.max(vim.fn.strdisplaywidth(frame.title), vim.fn.strdisplaywidth(frame.footer or ''))
  local window = vim.api.nvim_open_win(buf, true, vim.tbl_extend('error', shape_of(lines, width), frame))
  local self = setmetatable({ buf = buf, window = window, width = width }, Float)
  for _, key in ipairs({ 'q', '<Esc>' }) do
    self:map(key, function() self:close() end)
  end
  return self
end

function Float:map(key, action)
  vim.keymap.set('n', key, action, { buffer = self.buf, nowait = true })
end

function Float:is_open()
  return vim.api.nvim_win_is_valid(self.window)
end

---@param lines string[]
function Float:set(lines)
  if self:is_open() then
    lines = wrapped(lines)
    fill(self.buf, lines)
    vim.api.nvim_win_set_config(self.window, shape_of(lines, self.width))
  end
end

function Float:close()
  close(self.window)
end

--- Like vim.ui.select(), which shows a long list page by page ("More"). A plugin's implementation is used as it is.
---@param items any[]
---@param opts { prompt: string, kind: string, format_item: fun(item: any): string }
---@param on_choice fun(item: any?) not called if our window is closed without a choice
function M.select(items, opts, on_choice)
  if not M.is_neovims(vim.ui.select) then
    return vim.ui.select(items, opts, on_choice)
  end
  local width = text_width()
  local window = M.open(opts.prompt, vim.tbl_map(function(item)
    return vim.fn.strcharpart(opts.format_item(item), 0, width, 1)
  end, items), '<CR> selects the line, q closes')
  vim.wo[window.window].cursorline = true
  window:map('<CR>', function()
    local item = items[vim.api.nvim_win_get_cursor(window.window)[1]]
    window:close()
    on_choice(item)
  end)
end

-- The note: does not cover the edited text, and leaves the cursor where it is.
local note ---@type { window: integer, texts: string[], at: integer }?
local min_note_time = 3000  -- milliseconds; the next action of the user after them closes the note

--- Closes the note.
function M.end_note()
  if note then
    close(note.window)
    note = nil
  end
end

--- The lines of the texts; if the screen is too small, without the first ones.
local function lines_of(texts)
  local lines = wrapped(vim.split(table.concat(texts, '\n'), '\n', { plain = true }))
  if #texts > 1 and #lines > rows_of_screen() - 2 then
    return lines_of(vim.list_slice(texts, 2))
  end
  return lines
end

--- Shows a text in the corner until the user's next action, below other new texts.
---@param text string
---@param highlight string
function M.note(text, highlight)
  local is_new = note and vim.uv.now() - note.at < min_note_time
  local texts = vim.list_extend(is_new and note.texts or {}, { text })
  M.end_note()
  local shown = lines_of(texts)
  local buf = new_buffer(shown)
  for row = 0, #shown - 1 do
    vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, { line_hl_group = highlight })
  end
  local window = vim.api.nvim_open_win(buf, false,
    vim.tbl_extend('error', shape_of(shown, 1, true), { focusable = false, noautocmd = true, zindex = 150 }))
  note = { window = window, texts = texts, at = vim.uv.now() }
  vim.cmd.redraw()  -- even while the user is in the command line
end

vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'InsertEnter', 'CmdlineEnter', 'BufEnter', 'VimResized' }, {
  group = vim.api.nvim_create_augroup('redraft.float', {}),
  callback = function()
    if note and vim.uv.now() - note.at >= min_note_time then
      vim.schedule(M.end_note)  -- in the command line no window may be closed here
    end
  end,
})

return M
