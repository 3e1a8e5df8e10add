-- Drives a Neovim of its own: no user configuration, real keys in, the drawn screen out.
local Editor = {}
Editor.__index = Editor

local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h:h')

-- Milliseconds after which a wait counts as a hang.
local patience = 1000 * tonumber(vim.fn.readfile(root .. '/tests/kit/hang_seconds')[1])

--- Calls `test` until it returns a true value, and returns that; an error after `timeout` milliseconds.
local function wait(test, what, timeout)
  local deadline = vim.uv.now() + (timeout or patience)
  while true do
    local result = test()
    if result then
      return result
    end
    vim.uv.update_time()
    if vim.uv.now() > deadline then
      error(('%s: not within %d ms'):format(what, timeout or patience), 0)
    end
    vim.uv.sleep(10)
  end
end

--- Starts Neovim without an interface: it never asks for a key before it goes on.
local function start_embedded(self, command, width, height, settings)
  vim.list_extend(command, { '--embed', '--headless', '--cmd', ('set columns=%d lines=%d'):format(width, height) })
  self.job = vim.fn.jobstart(command, vim.tbl_extend('error', settings, { rpc = true }))
  self.channel = self.job
end

--- Starts it in a terminal, as a person does.
local function start_in_terminal(self, command, width, height, settings)
  local socket = self.folder .. '/socket'
  vim.list_extend(command, { '--listen', socket })
  self.job = vim.fn.jobstart(command, vim.tbl_extend('error', settings, {
    pty = true, width = width, height = height, on_stdout = function() end, -- what is not read stops it
  }))
  wait(function()
    local ok, channel = pcall(vim.fn.sockconnect, 'pipe', socket, { rpc = true })
    self.channel = ok and channel > 0 and channel or nil
    return self.channel
  end, 'the socket of ' .. command[1])
  wait(function() return #self:call('list_uis') > 0 and self:call('get_vvar', 'vim_did_enter') == 1 end, 'the interface')
  -- While it asks for a key it answers nothing else: it is given one, and that is remembered.
  self:lua([[HasAsked = false
    vim.uv.new_timer():start(0, 10, function()
      local mode = vim.api.nvim_get_mode().mode
      if mode == 'r' or mode == 'rm' then
        HasAsked = true
        vim.api.nvim_input('<CR>')
      end
    end)]])
end

--- A small screen in a terminal, where Neovim asks for a key if a message does not fit.
Editor.narrow = { terminal = true, width = 60, height = 20 }

--- `program`: the nvim to drive. `server`: the language server's command line. `width`, `height`: of the screen.
--- `terminal`: it runs in one. `env`: more of the environment. `record`: the server records what it is told, see told().
--- `before`: Lua that runs before the plugin's setup.
---@param options { program: string, server: string[]?, width: integer?, height: integer?, setup: table?, before: string?, terminal: boolean?, env: table?, record: boolean? }
function Editor.start(options)
  local self = setmetatable({ folder = vim.fn.tempname(), server = options.server }, Editor)
  vim.fn.mkdir(self.folder, 'p')
  if options.record then
    self.record = self.folder .. '/record'
    options.server = vim.list_extend(vim.list_slice(options.server), { '--record', self.record })
  end
  local env = {}
  for _, kind in ipairs({ 'CONFIG', 'DATA', 'STATE', 'CACHE' }) do
    env['XDG_' .. kind .. '_HOME'] = self.folder .. '/' .. kind:lower()
  end
  local command = {
    options.program, '--clean',
    '--cmd', 'set runtimepath^=' .. root .. '/editors/neovim',
    '--cmd', 'let g:loaded_python3_provider = 0', -- looking for a Python takes seconds
    '--cmd', 'set noswapfile shortmess+=I',
  }
  local settings = { env = vim.tbl_extend('force', env, options.env or {}), cwd = self.folder }
  local start = options.terminal and start_in_terminal or start_embedded
  start(self, command, options.width or 90, options.height or 30, settings)
  assert(self.job > 0, 'cannot start ' .. options.program)
  self:lua(options.before or '') -- setup() starts the server
  self:lua([[require('redraft').setup(...)]], vim.tbl_extend('force', { cmd = options.server }, options.setup or {}))
  return self
end

function Editor:stop()
  pcall(vim.rpcrequest, self.channel, 'nvim_command', 'qall!')
  vim.fn.jobstop(self.job)
  vim.fn.delete(self.folder, 'rf')
end

function Editor:call(method, ...)
  return vim.rpcrequest(self.channel, 'nvim_' .. method, ...)
end

--- Fails if Neovim, in a terminal, has said "Press ENTER" or "More".
function Editor:expect_no_question()
  if self:lua('return HasAsked') then
    error('Neovim asked for a key after:\n' .. self:messages(), 0)
  end
end

function Editor:lua(code, ...)
  return self:call('exec_lua', code, { ... })
end

function Editor:command(command)
  self:call('command', command)
end

--- Types keys in Neovim's notation, as a person would: modes, mappings and autocommands apply.
function Editor:keys(keys)
  self:call('input', keys)
end

--- Writes `text` byte for byte to a file and opens it; waits for the language client.
function Editor:open(name, text)
  local path = self.folder .. '/' .. name
  local file = assert(io.open(path, 'wb'))
  file:write(text)
  file:close()
  self:command('edit ' .. path)
  self.path = path
  wait(function()
    return self:lua([[local c = vim.lsp.get_clients({ bufnr = 0, name = 'redraft' })[1]
      return c ~= nil and c.initialized or false]])
  end, 'the language client')
end

function Editor:lines()
  return self:call('buf_get_lines', 0, 0, -1, true)
end

--- The bytes on disk after saving.
function Editor:saved()
  self:command('silent write')
  local file = assert(io.open(self.path, 'rb'))
  local text = file:read('a')
  file:close()
  return text
end

--- The drawn screen with virtual lines, one string per row.
function Editor:screen()
  return self:lua([[vim.cmd.redraw()
    local rows = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
      rows[row] = (table.concat(cells):gsub('%s+$', ''))
    end
    return rows]])
end

function Editor:shows(text)
  return vim.iter(self:screen()):any(function(row) return row:find(text, 1, true) ~= nil end)
end

--- The result of require('redraft').info(), nil without an edit.
function Editor:edit()
  local info = self:lua([[return require('redraft').info()]])
  return info ~= vim.NIL and info or nil
end

function Editor:status()
  return self:lua([[return require('redraft').status()]])
end

function Editor:messages()
  return self:call('exec2', 'messages', { output = true }).output
end

function Editor:wait_for_hunks(n)
  wait(function()
    local edit = self:edit()
    return edit and #edit.hunks == n
  end, n .. ' hunks')
end

function Editor:wait_for_end(n)
  wait(function()
    local edit = self:edit()
    return edit and edit.state ~= 'running' and (not n or #edit.hunks == n)
  end, 'the end of the edit' .. (n and (' with ' .. n .. ' hunks') or ''))
end

function Editor:wait_for_lines(lines)
  local seen
  local ok = pcall(wait, function()
    seen = self:lines()
    return vim.deep_equal(seen, lines)
  end, 'lines')
  if not ok then
    error('expected ' .. vim.inspect(lines) .. '\nbut the buffer holds ' .. vim.inspect(seen), 0)
  end
end

function Editor:wait_for_message(text)
  wait(function()
    local last = self:lua([[return require('redraft.say').last or '']]) -- the history has long ones shortened
    return last:find(text, 1, true) or self:messages():find(text, 1, true)
  end, 'the message "' .. text .. '"')
end

--- What the client told the server by these methods, in order: { method, params }.
function Editor:told(...)
  local told = {}
  if not vim.uv.fs_stat(self.record) then
    return told -- the server is not running yet
  end
  for line in io.lines(self.record) do
    local message = vim.json.decode(line)
    local method = message.from == 'client' and message.message.method or ''
    if vim.list_contains({ ... }, method) then
      table.insert(told, { method, message.message.params })
    end
  end
  return told
end

--- The arguments of the edits that were requested, in order.
function Editor:requested()
  local edits = vim.tbl_filter(function(each) return each[2].command == 'redraft.edit' end, self:told('workspace/executeCommand'))
  return vim.tbl_map(function(each) return each[2].arguments[1] end, edits)
end

--- The same once there are `n`: they are written down a moment later.
function Editor:wait_for_requests(n)
  wait(function() return #self:requested() == n end, n .. ' requests')
  return self:requested()
end

--- The server's status; it has processed all earlier messages by then.
function Editor:server_status()
  return self:lua([[local client = vim.lsp.get_clients({ name = 'redraft', bufnr = 0 })[1]
    return client:request_sync('redraft/status', vim.empty_dict(), ...).result]], patience)
end

Editor.wait = function(_, test, what, timeout) return wait(test, what, timeout) end
Editor.root = root

return Editor
