-- Finds the program. An editor that the desktop starts may lack folders that the login shell puts into PATH, such as
-- ~/.local/bin; a program that is only there is started from there.
local say = require('redraft.say')

local M = {}

local name = 'redraft' -- of the language client
local shell_time = 5000 -- milliseconds that the login shell may take
local mark = 'redraft-path:'

--- The server's command line, on which vim.lsp.config() has the last word. Nil: it is started by a function.
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

--- The program within the folders of a PATH.
local function found_in(path, program)
  for folder in vim.gsplit(path, ':', { trimempty = true }) do
    local file = vim.fs.joinpath(folder, program)
    if vim.fn.executable(file) == 1 then
      return file
    end
  end
end

--- Starts a login shell that says what its PATH is. It has a session of its own: an interactive one would take the
--- terminal.
local function ask_shell(on_exit)
  local shell = vim.env.SHELL or vim.uv.os_get_passwd().shell or 'sh'
  local command = { shell, '-l', '-i', '-c', ([[sh -c 'echo "%s$PATH"']]):format(mark) }
  local ok, process = pcall(vim.system, command, { text = true, detach = true }, on_exit)
  if not ok then
    return nil
  end
  vim.defer_fn(function()
    if not process:is_closing() then
      vim.uv.kill(-process.pid, 'sigkill') -- an interactive shell ignores milder signals
    end
  end, shell_time)
  return process
end

local function path_in(output)
  return (output or ''):match('.*' .. vim.pesc(mark) .. '([^\n]*)')
end

--- Has the server started from where the login shell finds it. Whether it can be.
local function take(path)
  local command = M.command()
  if not command or vim.fn.executable(command[1]) == 1 then
    return true -- it may have come meanwhile
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
  local process = ask_shell()
  return take(process and path_in(process:wait().stdout))
end

--- The message when it cannot be found.
function M.say_missing()
  say.fail(('the program "%s" is not found: see :checkhealth redraft'):format(M.command()[1]))
end

--- Looks for the program on behalf of a user who has opened a file.
local function look_for_it()
  if not is_bare(M.command()) then
    return M.say_missing()
  end
  local asked = ask_shell(vim.schedule_wrap(function(result)
    if take(path_in(result.stdout)) then
      vim.lsp.enable(name) -- for the files that are open
    else
      M.say_missing()
    end
  end))
  if not asked then
    M.say_missing()
  end
end

local function is_wanted(buf)
  return vim.bo[buf].buftype == '' and vim.bo[buf].filetype ~= ''
end

--- When a file is opened and the program is missing: starts it from where the login shell finds it, or says that it is
--- missing, once. By then the configuration is complete.
function M.watch()
  local group = vim.api.nvim_create_augroup('redraft.program', {})
  local look = function(buf)
    if is_wanted(buf) and not M.is_there() then
      vim.schedule(look_for_it) -- a message here would be an error of opening the file
      return true -- no more
    end
  end
  if vim.v.vim_did_enter == 0 or not look(vim.api.nvim_get_current_buf()) then
    vim.api.nvim_create_autocmd('FileType', { group = group, callback = function(event) return look(event.buf) end })
  end
end

return M
