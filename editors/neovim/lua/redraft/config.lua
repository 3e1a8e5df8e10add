-- The user's settings from require('redraft').setup(), on top of the defaults.
local M = {}

---@class redraft.Config
---@field cmd string[] the server's command line; options for the models are added to it
---@field target string? the model that writes: a name from `redraft models list` or a path
---@field draft string? a small draft model that guesses ahead; none by default
---@field head string? the folder of a draft head of the target; none by default
---@field remote string? the address of a server that runs the model: the edited text is sent there
---@field remoteModel string? the name of its model; its only one by default
---@field commonFolders string[]? other folders of code to draft from
---@field args string[] further arguments of `redraft lsp`, e.g. { '--threads', '4' }
---@field decoder string? a setting of the server, like all in redraft.settings: nil is the server's default
---@field index boolean?
---@field dependencies boolean?
---@field completion table?
---@field edit table?
---@field ghost_text boolean suggest after the cursor in insert mode
---@field next_edit boolean propose edits that follow from the latest changes
---@field nextEdit table? settings of the server, like `completion`
---@field keymaps boolean map the default keys (:help redraft-keys)
---@field region_keys { widen: string?, narrow: string? } keys at the prompt; '' for none
local defaults = {
  cmd = { require('redraft.installed').program() or 'redraft', 'lsp' },
  target = nil,
  draft = nil,
  head = nil,
  remote = nil,
  remoteModel = nil,
  args = {},
  ghost_text = true,
  next_edit = true,
  keymaps = false,
  region_keys = { widen = '<M-Up>', narrow = '<M-Down>' },
}

---@type redraft.Config
M.values = vim.deepcopy(defaults)

local server_types = require('redraft.settings')
local types = vim.tbl_extend('error', server_types, {
  cmd = 'table', target = 'string', draft = 'string', head = 'string',
  remote = 'string', remoteModel = 'string', args = 'table', commonFolders = 'table',
  ghost_text = 'boolean', next_edit = 'boolean', keymaps = 'boolean', region_keys = 'table',
})

--- The error names the setting that is unknown or has the wrong type.
---@param user table?
function M.set(user)
  for name, value in pairs(user or {}) do
    local expected = types[name]
    if not expected then
      error(('redraft: unknown setting "%s" (:help redraft-settings)'):format(name), 0)
    elseif type(value) ~= expected then
      error(('redraft: setting "%s" must be a %s, not a %s'):format(name, expected, type(value)), 0)
    end
  end
  M.values = vim.tbl_extend('force', vim.deepcopy(defaults), user or {})
end

--- The section "redraft" of the settings sent to the server, which validates the contents of a group.
---@return table
function M.server_settings()
  local settings = vim.empty_dict()
  for name in pairs(server_types) do
    settings[name] = M.values[name]
  end
  return settings
end

--- The command line that starts the server.
---@return string[]
function M.command()
  local command = vim.deepcopy(M.values.cmd)
  for _, option in ipairs({ 'target', 'draft', 'head', 'remote' }) do
    if M.values[option] then
      vim.list_extend(command, { '--' .. option, M.values[option] })
    end
  end
  local own = { { 'completion', '--completion-model' }, { 'nextEdit', '--next-edit-model' } }
  for _, each in ipairs(own) do
    local group, option = unpack(each)
    local model = (M.values[group] or {}).model
    if type(model) == 'string' and model ~= '' then
      vim.list_extend(command, { option, model })
    end
  end
  if M.values.remote and M.values.remoteModel then
    vim.list_extend(command, { '--remote-model', M.values.remoteModel })
  end
  for _, folder in ipairs(M.values.commonFolders or {}) do
    vim.list_extend(command, { '--common', folder })
  end
  return vim.list_extend(command, M.values.args)
end

return M
