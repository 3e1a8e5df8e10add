local models = require('redraft.models')
local program = require('redraft.program')

local M = {}

local doctor_time = 60000 -- milliseconds

--- The README with the installation instructions, if this plugin is in its repository.
local function readme()
  local root = vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)):match('^(.*)/editors/neovim/lua/')
  local file = root and root .. '/README.md'
  return file and vim.uv.fs_stat(file) and file or "redraft's README.md"
end

--- Checks whether the program exists.
local function check_program()
  local health = vim.health
  local command = program.command()
  if not command then
    health.ok('the server is started by a function')
    return true
  end
  local was_there = program.is_there()
  if not program.find() then
    health.error(('the program "%s" is not in PATH, and not in the PATH of a login shell'):format(command[1]), {
      'install it: see the section "Install" of ' .. readme(),
      "or give its path: require('redraft').setup({ cmd = { '/path/to/redraft', 'lsp' } })",
    })
    return false
  end
  local where = was_there and '' or ", found in the PATH of a login shell (not in this editor's PATH)"
  command = program.command()
  health.ok('program: ' .. vim.fn.exepath(command[1]) .. where)
  health.info('command: ' .. table.concat(command, ' '))
  return true
end

--- Checks whether the model exists.
local function check_model()
  local known, why = models.list()
  if not known then
    return vim.health.info('models: not checked: ' .. why)
  end
  local target = models.target(known)
  if not target then
    vim.health.info('model: ' .. require('redraft.config').values.target)
    return true
  elseif target.present then
    vim.health.ok(('model: %s, %s'):format(target.name, target.file))
    return true
  end
  vim.health.error(('the model %s is not downloaded'):format(target.name), {
    (':RedraftPull downloads it: %s, licence %s'):format(models.size(target.bytes), target.licence),
    ('in a terminal, use `redraft models pull %s`'):format(target.name),
  })
end

local function check_machine()
  local command = models.command('doctor', '--quick') -- hashing the models takes long
  if not command then
    return
  end
  local ran, process = pcall(vim.system, command, { text = true })
  local result = ran and process:wait(doctor_time) or { code = -1, stdout = '', stderr = tostring(process) }
  local report = vim.trim(result.stdout .. '\n' .. result.stderr)
  if result.code == 0 then
    vim.health.ok('`redraft doctor --quick`:\n' .. report)
  elseif result.code == 124 then
    vim.health.warn(('`redraft doctor --quick` took more than %d s'):format(doctor_time / 1000))
  else
    vim.health.error('`redraft doctor` found a problem:\n' .. report)
  end
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = 'redraft' })
  if #clients == 0 then
    vim.health.info('the server is not running. :RedraftEdit starts it')
  end
  vim.health.info('log: ' .. vim.lsp.log.get_filename())
  for _, client in ipairs(clients) do
    local model = require('redraft.client').model(client.id)
    vim.health.ok(('server %d runs for %d buffer(s), model: %s'):format(client.id,
      vim.tbl_count(client.attached_buffers), model and model.state or 'not requested yet'))
    if model and model.error and model.error ~= vim.NIL then
      vim.health.error(model.error)
    end
  end
end

function M.check()
  vim.health.start('redraft')
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim ' .. tostring(vim.version()))
  else
    vim.health.error('Neovim 0.11 or later is needed')
  end
  if check_program() and check_model() then
    check_machine()
  end
  check_clients()
end

return M
