-- The real language server over a scripted model: what the model will write is given, everything else is as always.
local M = {}

--- The command line of a server whose model replaces `find` by `replace` in what it is asked about; a process of its
--- own with its own script. With an `instruction` it answers only to that.
---@param find string
---@param replace string
---@param instruction string?
---@return string[]
function M.server(find, replace, instruction)
  return M.start({ edits = { { find = find, replace = replace, instruction = instruction } } })
end

--- A server like that whose model can be stopped: `hold()` makes it write nothing from the first `at` of an answer on,
--- until `release()`. What a test does while an edit runs then takes as long as it takes.
---@return { server: string[], hold: fun(), release: fun() }
function M.held(find, replace, at, instruction)
  local file = vim.fn.tempname()
  local edits = { { find = find, replace = replace, instruction = instruction } }
  return {
    server = M.start({ edits = edits, hold = { before = at, file = file } }),
    hold = function() vim.fn.writefile({}, file) end,
    release = function() vim.fn.delete(file) end,
  }
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
