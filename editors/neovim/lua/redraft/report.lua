-- The report of a crashed server: the signal and the stack, no text of a file.
local say = require('redraft.say')

local M = {}

local recent = 120  -- seconds; a younger report belongs to the latest crash

local function folder()
  local state = vim.env.XDG_STATE_HOME
  if not state or state:sub(1, 1) ~= '/' then
    state = vim.uv.os_homedir() .. '/.local/state'
  end
  return state .. '/redraft/crash-reports'
end

--- The path of the newest report; nil if there is none.
---@return string?
function M.newest()
  local names = {}
  for name, kind in vim.fs.dir(folder()) do
    if kind == 'file' and name:find('^report%-.*%.txt$') then
      table.insert(names, name)
    end
  end
  table.sort(names)  -- they start with the time
  return #names > 0 and vim.fs.joinpath(folder(), names[#names]) or nil
end

--- Whether there is a report of the latest crash.
---@return boolean
function M.is_new()
  local file = M.newest()
  local found = file and vim.uv.fs_stat(file)
  return found ~= nil and os.time() - found.mtime.sec < recent
end

--- Opens the newest report.
function M.open()
  local file = M.newest()
  if not file then
    return say.say('there is no crash report in ' .. folder())
  end
  vim.cmd.tabedit(vim.fn.fnameescape(file))
  vim.bo.readonly = true
end

return M
