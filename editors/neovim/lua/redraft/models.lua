-- The model files that the program knows: which are present, and which one the server uses.
local config = require('redraft.config')
local program = require('redraft.program')

local M = {}

local answer_time = 10000 -- milliseconds

---@class redraft.Model in the form of `redraft models list --format json`
---@field name string
---@field present boolean
---@field bytes integer
---@field licence string
---@field file string

--- The command line of another command of the program; nil and the reason if the server is started in another way.
---@return string[]?
---@return string? why
function M.command(...)
  local command = program.command()
  if not command or command[2] ~= 'lsp' then
    return nil, 'the server is not started by `redraft lsp`'
  elseif not program.find() then
    return nil, ('cannot find the program "%s"'):format(command[1])
  end
  return { program.command()[1], ... }
end

---@return redraft.Model[]?
---@return string? why there is no answer
function M.list()
  local command, why = M.command('models', 'list', '--format', 'json')
  if not command then
    return nil, why
  end
  local ran, process = pcall(vim.system, command, { text = true })
  local result = ran and process:wait(answer_time) or { code = -1, stderr = tostring(process) }
  local read, models = pcall(vim.json.decode, result.stdout or '')
  if result.code ~= 0 or not read then
    return nil, 'redraft models list: ' .. vim.trim(result.stderr or '')
  end
  return models
end

---@param models redraft.Model[]
---@param name string
---@return redraft.Model?
function M.named(models, name)
  return vim.iter(models):find(function(model) return model.name == name end)
end

--- The model that the server uses: the one in the settings, otherwise the first. Nil for a file that the user named.
---@param models redraft.Model[]
---@return redraft.Model?
function M.target(models)
  local name = config.values.target
  if not name then
    return models[1]
  end
  return M.named(models, name)
end

--- "1.1 GB", "98 MB"
---@param bytes integer
---@return string
function M.size(bytes)
  return bytes < 1e9 and ('%.0f MB'):format(bytes / 1e6) or ('%.1f GB'):format(bytes / 1e9)
end

return M
