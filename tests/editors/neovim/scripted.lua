-- The real language server over a scripted model: what the model will write is given, everything else is as always.
local M = {}

--- The command line of a server whose model replaces `find` by `replace` in what it is asked about; a process of its
--- own with its own script. `pass_ms`: how long a forward pass takes. With an `instruction` it answers only to that.
---@param find string
---@param replace string
---@param pass_ms integer?
---@param instruction string?
---@return string[]
function M.server(find, replace, pass_ms, instruction)
  return M.start({ edits = { { find = find, replace = replace, instruction = instruction } }, delay_ms_per_pass = pass_ms or 0 })
end

--- The same for a whole script: see tests/lsp/scripted_server.cpp.
---@param script table
---@return string[]
function M.start(script)
  local executable = os.getenv('REDRAFT_SCRIPTED_SERVER')
  if not executable or vim.fn.executable(executable) == 0 then
    error({ skip = 'REDRAFT_SCRIPTED_SERVER must name the server with the scripted model' })
  end
  local file = vim.fn.tempname() .. '.json'
  vim.fn.writefile({ vim.json.encode(script) }, file)
  return { executable, file }
end

return M
