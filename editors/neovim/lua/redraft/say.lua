-- What the user is told. Neovim shows a message of more than one line together with "Press ENTER", and the user has to,
-- before going on; so a longer one goes into a note beside the text, and its beginning into the message history.
local float = require('redraft.float')

local M = {}

local highlights = {
  [vim.log.levels.INFO] = 'NormalFloat', [vim.log.levels.WARN] = 'DiagnosticWarn', [vim.log.levels.ERROR] = 'DiagnosticError',
}

M.last = nil ---@type string? the last message, whole

--- How many screen cells a message may have. None without a line for messages, and while something is typed there.
local function room()
  local is_free = vim.o.cmdheight > 0 and not vim.fn.mode():match('^[cr]')
  return is_free and vim.v.echospace or 0
end

local function shortened(text, width)
  while vim.fn.strdisplaywidth(text) > width do
    text = vim.fn.strcharpart(text, 0, vim.fn.strcharlen(text) - 2, 1) .. '…'
  end
  return text
end

local function echo(text, level)
  vim.cmd.redraw() -- otherwise it would be a second line below another message
  vim.notify(text, level)
end

--- Tells the user something.
---@param text string
---@param level integer? of vim.log.levels
---@param opts { brief: boolean }? brief: the end may be left out
function M.say(text, level, opts)
  level = level or vim.log.levels.INFO
  text = text:gsub('`redraft models pull ([^`]+)`', ':RedraftPull %1')
  text = vim.startswith(text, 'redraft: ') and text or 'redraft: ' .. text
  M.last = text
  if not float.is_neovims(vim.notify) then -- a plugin that shows messages in its own way takes them whole
    return vim.notify(text, level)
  end
  local width = room()
  local whole = text:gsub('%s*\n%s*', ' ')
  local line = width > 0 and shortened(whole, width)
  if line then
    echo(line, level)
  end
  if not line or line ~= whole and not (opts and opts.brief) then
    float.note(text, highlights[level] or highlights[vim.log.levels.INFO])
  end
end

--- Takes away what stands in the line for messages.
function M.clear()
  vim.api.nvim_echo({ { '' } }, false, {})
end

---@param text string
function M.warn(text)
  M.say(text, vim.log.levels.WARN)
end

---@param text string
function M.fail(text)
  M.say(text, vim.log.levels.ERROR)
end

return M
