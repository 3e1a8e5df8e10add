local M = {}

local function check_server(command)
  local health = vim.health
  if vim.fn.executable(command[1]) == 0 then
    health.error(('"%s" is not an executable'):format(command[1]), {
      'build it with `make build` and put build/redraft into your PATH',
      "or give its path: require('redraft').setup({ cmd = { '/path/to/redraft', 'lsp' } })",
    })
    return
  end
  health.ok('executable: ' .. vim.fn.exepath(command[1]))
  health.info('command: ' .. table.concat(command, ' '))
  if command[2] ~= 'lsp' then
    return -- not the plain executable: it need not know `doctor`
  end
  local ran, process = pcall(vim.system, { command[1], 'doctor' }, { text = true, timeout = 60000 })
  local result = ran and process:wait() or { code = -1, stdout = '', stderr = tostring(process) }
  local report = vim.trim(result.stdout .. '\n' .. result.stderr)
  if result.code == 0 then
    health.ok('`redraft doctor`:\n' .. report)
  else
    health.error('`redraft doctor` found a problem:\n' .. report)
  end
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = 'redraft' })
  if #clients == 0 then
    vim.health.info('the server is not running: it starts with :RedraftEdit')
  end
  for _, client in ipairs(clients) do
    local model = require('redraft.client').model(client.id)
    vim.health.ok(('server %d runs for %d buffer(s), model: %s'):format(client.id,
      vim.tbl_count(client.attached_buffers), model and model.state or 'not asked for yet'))
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
  check_server(require('redraft.config').command())
  check_clients()
end

return M
