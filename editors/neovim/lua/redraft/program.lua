-- Finds the program. An editor that the desktop starts may lack folders that the login shell adds to PATH, such as
-- ~/.local/bin; a program that is only there is started from there.
local say = require('redraft.say')

local M = {}

local name = 'redraft' -- of the language client
local shell_time = 5000 -- milliseconds that the login shell may take
local max_output = 1e6  -- bytes that it may print before its PATH
local mark = 'redraft-path:'  -- not in the command itself, which a shell may print

--- The server's command line; vim.lsp.config() has precedence. Nil if it is started by a function.
---@return string[]?
function M.command()
  local cmd = vim.lsp.config[name].cmd
  return type(cmd) == 'table' and cmd or nil
end

---@return boolean
function M.is_there()
  local command = M.command()
  return command == nil or vim.fn.executable(command[1]) == 1
end

--- The program in the folders of a PATH.
local function found_in(path, program)
  for folder in vim.gsplit(path, ':', { trimempty = true }) do
    local file = vim.fs.joinpath(folder, program)
    if vim.fn.executable(file) == 1 then
      return file
    end
  end
end

--- Starts a login shell that prints its PATH, and calls `on_answer` once with that, or nil. It runs in its own session,
--- because an interactive shell would take the terminal. Its background programs may keep its output open and live on.
local function ask_shell(on_answer)
  local shell = vim.env.SHELL or vim.uv.os_get_passwd().shell or 'sh'
  local command = { shell, '-l', '-i', '-c', [[sh -c 'printf "%s-path:%s\n" redraft "$PATH"']] }
  local output, n_read, is_answered, process = '', 0, false, nil
  local function answer(path)
    if not is_answered then
      is_answered = true
      on_answer(path)
    end
  end
  local function give_up()
    if not is_answered then
      vim.uv.kill(-process.pid, 'sigkill') -- an interactive shell ignores milder signals
      answer(nil)
    end
  end
  local function read(_, part)
    output, n_read = output .. (part or ''), n_read + #(part or '')
    local at = output:find(mark, 1, true)
    output = at and output:sub(at) or output:sub(-#mark)  -- the mark may arrive in two parts
    local path = at and output:match('^[^:]*:([^\n]*)\n')
    if path or not part then
      answer(path)
    elseif n_read > max_output then
      give_up()
    end
  end
  local ok, started = pcall(vim.system, command, { detach = true, stdout = read })
  if not ok then
    return answer(nil)
  end
  process = started
  local timer = assert(vim.uv.new_timer())  -- runs even while Neovim waits, which defers other timers
  timer:start(shell_time, 0, function()
    timer:close()
    give_up()
  end)
end

--- Starts the server from where the login shell finds it. Returns whether that is possible.
local function take(path)
  local command = M.command()
  if not command or vim.fn.executable(command[1]) == 1 then
    return true  -- it may have been installed meanwhile
  end
  local file = path and found_in(path, command[1])
  if file then
    vim.lsp.config(name, { cmd = vim.list_extend({ file }, command, 2) })
  end
  return file ~= nil
end

local function is_bare(command)
  return not command[1]:find('/', 1, true)
end

--- Whether the program can be started, for a user who waits for it.
---@return boolean
function M.find()
  if M.is_there() then
    return true
  elseif not is_bare(M.command()) then
    return false
  end
  local is_answered, path = false, nil
  ask_shell(function(found)
    is_answered, path = true, found
  end)
  vim.wait(2 * shell_time, function() return is_answered end, 10, true)  -- keys typed meanwhile are handled afterwards
  return take(path)
end

--- The message if it cannot be found.
function M.say_missing()
  say.fail(('cannot find the program "%s". See :checkhealth redraft'):format(M.command()[1]))
end

--- Looks for the program for a user who has opened a file.
local function look_for_it()
  if not is_bare(M.command()) then
    return M.say_missing()
  end
  ask_shell(vim.schedule_wrap(function(path)
    if take(path) then
      vim.lsp.enable(name)  -- for the files that are open
    else
      M.say_missing()
    end
  end))
end

local function is_wanted(buf)
  return vim.bo[buf].buftype == '' and vim.bo[buf].filetype ~= ''
end

--- When a file is opened and the program is missing: starts it from where the login shell finds it, or reports once
--- that it is missing. By then the configuration is complete.
function M.watch()
  local group = vim.api.nvim_create_augroup('redraft.program', {})
  local look = function(buf)
    if is_wanted(buf) and not M.is_there() then
      vim.schedule(look_for_it)  -- a message here would be an error of opening the file
      return true  -- removes the autocommand
    end
  end
  if vim.v.vim_did_enter == 0 or not look(vim.api.nvim_get_current_buf()) then
    vim.api.nvim_create_autocmd('FileType', { group = group, callback = function(event) return look(event.buf) end })
  end
end

return M
