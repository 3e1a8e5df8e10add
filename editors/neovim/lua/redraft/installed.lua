-- The installation that contains this plugin, if any: PREFIX/share/nvim/site/pack/redraft/opt/redraft.nvim.
local M = {}

--- The program of the same installation, which uses the same protocol regardless of PATH.
---@return string?
function M.program()
  local file = vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2)) or ''
  local prefix = file:match('^(.*)/share/nvim/site/pack/redraft/opt/redraft%.nvim/lua/')
  local program = prefix and prefix .. '/bin/redraft'
  return program and vim.fn.executable(program) == 1 and program or nil
end

return M
