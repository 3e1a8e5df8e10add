-- The real language server over a scripted model: what the model will write is given, everything else is as always.
local M = {}

--- The command line of a server whose model writes `output`. `pass_ms`: how long a forward pass takes.
---@param output string the whole new text of what is edited
---@param options { delay: number?, hang: boolean? }?
function M.server(output, options)
  local executable = os.getenv('REDRAFT_SCRIPTED_SERVER')
  if not executable or executable == '' then
    error({ skip = 'REDRAFT_SCRIPTED_SERVER names no server' })
  end
  local script = vim.fn.tempname() .. '.json'
  vim.fn.writefile({ vim.json.encode(vim.tbl_extend('force', { output = output }, options or {})) }, script)
  return { executable, script }
end

return M
