-- Messages for the user. After a message of several lines Neovim shows "Press ENTER" and waits. So a longer message
-- goes into a note beside the text, and its beginning into the message history.
local float = require('redraft.float')

local M = {}

local highlights = {
  [vim.log.levels.INFO] = 'NormalFloat', [vim.log.levels.WARN] = 'DiagnosticWarn', [vim.log.levels.ERROR] = 'DiagnosticError',
}

M.last = nil ---@type string? the last message, whole

--- How many screen cells a message may have. Nil without a line for messages, or while the user is typing there.
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
  vim.cmd.redraw()  -- otherwise it would be a second line below another message
  vim.notify(text, level)
end

local kept_back = {} ---@type string[] patterns
local notify  -- Neovim's or a plugin's, while `filtered` replaces it

local function filtered(text, ...)
  if not vim.iter(kept_back):any(function(pattern) return tostring(text):find(pattern) ~= nil end) then
    notify(text, ...)
  end
end

--- Suppresses a message that Neovim has already scheduled. The only way is to replace vim.notify() until then. Several
--- messages may be suppressed at once.
---@param pattern string
function M.keep_back(pattern)
  if vim.notify ~= filtered then
    notify, vim.notify = vim.notify, filtered
  end
  table.insert(kept_back, pattern)
  vim.schedule(function()  -- after it
    table.remove(kept_back, 1)
    if #kept_back == 0 and vim.notify == filtered then
      vim.notify = notify
    end
  end)
end

--- A plugin shows messages in its own way.
local function is_plugins()
  return not float.is_neovims(vim.notify == filtered and notify or vim.notify)
end

--- Shows a message to the user.
---@param text string
---@param level integer? of vim.log.levels
---@param opts { brief: boolean }? brief: the end may be left out
function M.say(text, level, opts)
  level = level or vim.log.levels.INFO
  text = text:gsub('`redraft models pull ([^`]+)`', ':RedraftPull %1')
  text = vim.startswith(text, 'redraft: ') and text or 'redraft: ' .. text
  M.last = text
  if is_plugins() then  -- a plugin shows them whole
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

--- Clears the line for messages.
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
