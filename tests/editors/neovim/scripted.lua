-- The real language server with a scripted model: the model's output is given, everything else is real.
local M = {}

--- The command line of a server whose model replaces `find` by `replace` in the code it edits; a process with a script
--- of its own. With an `instruction` it reacts only to that.
---@param find string
---@param replace string
---@param instruction string?
---@return string[]
function M.server(find, replace, instruction)
  return M.start({ edits = { { find = find, replace = replace, instruction = instruction } } })
end

--- Such a server with a model that can be stopped: `hold()` makes it stop at the first `at` of an answer until
--- `release()`; `holds()` once it has. So a test has all the time it needs for what it does while an edit runs.
---@return { server: string[], hold: fun(), holds: (fun(): boolean), release: fun() }
function M.held(find, replace, at, instruction)
  local folder = vim.fn.tempname() -- in which the server may write
  vim.fn.mkdir(folder)
  local file = folder .. '/hold'
  local edits = { { find = find, replace = replace, instruction = instruction } }
  return {
    server = M.start({ edits = edits, hold = { before = at, file = file } }),
    hold = function()
      vim.fn.delete(file .. '.held') -- of a server that was killed
      vim.fn.writefile({}, file)
    end,
    holds = function() return vim.fn.filereadable(file .. '.held') == 1 end,
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
