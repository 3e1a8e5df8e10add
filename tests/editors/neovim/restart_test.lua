-- A server that crashes is started again, and a document that crashes it twice is left alone.
local check = require('check')
local scripted = require('scripted')
local equal, expect = check.equal, check.expect

local function client_id(nvim)
  return nvim:lua([[local client = vim.lsp.get_clients({ name = 'redraft', bufnr = 0 })[1]
    return client and client.initialized and client.id or 0]])
end

local function kill(nvim, signal)
  nvim:lua([[for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, ...) end]], signal)
end

--- Ends the server and waits for the next one.
local function crash(nvim, signal)
  local before = client_id(nvim)
  kill(nvim, signal)
  nvim:wait(function() return client_id(nvim) > before end, 'the next server')
end

local function soon(nvim)
  nvim:lua([[require('redraft.restart').first_delay = 10]])
end

local function it_serves_its_files_again(start)
  local nvim = start({ server = scripted.server('a = 1', 'b = 1') })
  soon(nvim)
  nvim:open('one.py', 'a = 1\n')
  nvim:open('two.py', 'a = 1\n')
  crash(nvim, 'sigkill')
  nvim:wait_for_message('it is being restarted')
  for _, name in ipairs({ 'one.py', 'two.py' }) do
    nvim:command('buffer ' .. name)
    nvim:wait(function() return client_id(nvim) > 0 end, 'the client of ' .. name)
    nvim:keys(':%RedraftEdit rename<CR>')
    nvim:wait_for_end(1)
    nvim:keys(':RedraftAccept<CR>')
    nvim:wait_for_lines({ 'b = 1' })
  end
end

local function one_that_was_stopped_stays_so(start)
  local nvim = start({ server = scripted.server('a', 'b') })
  soon(nvim)
  nvim:open('a.py', 'a = 1\n')
  nvim:lua([[vim.lsp.stop_client(vim.lsp.get_clients({ name = 'redraft' }), true)]])
  nvim:wait(function() return client_id(nvim) == 0 end, 'its end')
  nvim:lua('vim.wait(500)')
  equal(client_id(nvim), 0)
end

local function it_is_given_up_after_several_crashes(start)
  local nvim = start({ server = scripted.server('a', 'b') })
  soon(nvim)
  nvim:open('a.py', 'a = 1\n')
  for _ = 1, 4 do
    crash(nvim, 'sigkill')
  end
  kill(nvim, 'sigkill')
  nvim:wait_for_message('crashed 5 times within 3 minutes and is not restarted')
  nvim:lua('vim.wait(1000)')
  equal(client_id(nvim), 0)
end

local function the_time_until_it_is_started_doubles(start)
  local nvim = start({ server = scripted.server('a', 'b') })
  nvim:lua([[Delays = {}
    local defer = vim.defer_fn
    vim.defer_fn = function(call, delay)
      if debug.getinfo(2, 'S').source:find('restart.lua', 1, true) then
        table.insert(Delays, delay)
        delay = 1
      end
      return defer(call, delay)
    end]])
  nvim:open('a.py', 'a = 1\n')
  for _ = 1, 3 do
    crash(nvim, 'sigkill')
  end
  equal(nvim:lua('return Delays'), { 1000, 2000, 4000 })
end

local function a_document_that_crashes_it_twice_is_left_alone(start)
  local held = scripted.held('a = 1', 'b = 1', '')
  local nvim = start({ server = vim.list_extend(held.server, { '--crash-notes', vim.fn.tempname() .. '/notes' }) })
  soon(nvim)
  nvim:open('good.py', 'a = 1\n')
  nvim:open('bad.py', 'a = 1\n')
  for _ = 1, 2 do
    held.hold()
    nvim:keys(':%RedraftEdit rename<CR>')
    nvim:wait(held.holds, 'the edit')
    crash(nvim, 'sigsegv')
    held.release()
  end
  nvim:wait_for_message('bad.py: redraft crashed twice while it worked on this file')
  nvim:keys(':%RedraftEdit rename<CR>')
  nvim:wait(function() return nvim:edit() == nil end, 'no edit')
  equal(nvim:lines(), { 'a = 1' })
  nvim:command('buffer good.py')
  nvim:keys(':%RedraftEdit rename<CR>')
  nvim:wait_for_end(1)
  expect(client_id(nvim) > 0, 'the server runs on')
end

--- The server's state is in a folder of its own.
local function with_reports(start, server)
  local state = vim.fn.tempname()
  return start({
    server = vim.list_extend(server, { '--crash-notes', state .. '/redraft/crashed-at' }), env = { XDG_STATE_HOME = state },
  })
end

local function a_crash_leaves_a_report_that_a_command_opens(start)
  local nvim = with_reports(start, scripted.server('a', 'b'))
  soon(nvim)
  nvim:open('secret.py', 'a = 1\n')
  nvim:keys(':RedraftReport<CR>')
  nvim:wait_for_message('there is no crash report in')
  crash(nvim, 'sigsegv')
  nvim:wait_for_message('RedraftReport says why')
  nvim:keys(':RedraftReport<CR>')
  nvim:wait(function() return nvim:lines()[1] == 'redraft crash report' end, 'the report')
  local text = table.concat(nvim:lines(), '\n')
  expect(text:find('signal: SIGSEGV (11)', 1, true), text)
  expect(not text:find('secret', 1, true), text)
end

local function it_does_not_run_in_the_folder_of_the_files(start)
  local nvim = start({ server = scripted.server('a', 'b') })
  nvim:open('a.py', 'a = 1\n')
  local folder = nvim:lua([[local pid = vim.api.nvim_get_proc_children(vim.fn.getpid())[1]
    return vim.uv.fs_readlink('/proc/' .. pid .. '/cwd')]])
  equal(folder, vim.uv.fs_realpath(vim.uv.os_homedir()))
end

return {
  { 'after a crash the server serves its files again', it_serves_its_files_again },
  { 'a server that was stopped is not restarted', one_that_was_stopped_stays_so },
  { 'a server that crashes again and again is given up', it_is_given_up_after_several_crashes },
  { 'the time until it is restarted doubles', the_time_until_it_is_started_doubles },
  { 'a document that crashes the server twice is left alone', a_document_that_crashes_it_twice_is_left_alone },
  { 'a crash leaves a report that a command opens', a_crash_leaves_a_report_that_a_command_opens },
  { 'the server does not run in the folder of the files', it_does_not_run_in_the_folder_of_the_files },
}
