-- The language client: starts the server, sends requests and receives notifications. docs/protocol.md is the contract.
local Session = require('redraft.session')
local announce = require('redraft.announce')
local apply = require('redraft.apply')
local config = require('redraft.config')
local outcome = require('redraft.outcome')
local place_of = require('redraft.place')
local places = require('redraft.places')
local program = require('redraft.program')
local progress = require('redraft.progress')
local report = require('redraft.report')
local restart = require('redraft.restart')
local say = require('redraft.say')

local M = {}

M.protocol = 1  -- of docs/protocol.md; same as in lsp/wire/version.h

local name = 'redraft'
local sessions = {} ---@type redraft.Session[] in the order in which they were requested
local early = {} ---@type table<integer, table[]> notifications of edits whose ids are not known yet
local model = {} ---@type table<integer, table> by client: the last $/redraft/status
local ended = {} ---@type table<integer, redraft.Session> by buffer: the edit that ended last

local function redraw_status()
  progress.refresh()
  vim.api.nvim_exec_autocmds('User', { pattern = 'RedraftStatus', modeline = false })
  vim.cmd.redrawstatus()
end

--- The edits of a buffer that run or wait for a decision, in the order in which they were requested.
---@param buf integer
---@return redraft.Session[]
function M.sessions(buf)
  return vim.tbl_filter(function(session) return session.buf == buf end, sessions)
end

--- The edit of a buffer that finished last; nil if another was requested since.
---@param buf integer
---@return redraft.Session?
function M.ended(buf)
  return ended[buf]
end

---@param client_id integer?
---@return table? status
function M.model(client_id)
  if client_id then
    return model[client_id]
  end
  return select(2, next(model))
end

local function end_progress(session)
  if session.progress then
    progress.stop(session.progress)
    session.progress = nil
  end
end

local function forget(session)
  end_progress(session)
  session:close()
  sessions = vim.tbl_filter(function(other) return other ~= session end, sessions)
end

local function to_range(range)
  return { range.start.line, range.start.character, range['end'].line, range['end'].character }
end

--- Positions here count bytes; those of a server that only supports UTF-16 are converted with the buffer's current
--- text.
local function to_bytes(session, range, version)
  local client = vim.lsp.get_client_by_id(session.client_id)
  if not client or client.offset_encoding == 'utf-8' or version ~= vim.lsp.util.buf_versions[session.buf] then
    return to_range(range)
  end
  local column = function(position)
    local line = vim.api.nvim_buf_get_lines(session.buf, position.line, position.line + 1, false)[1] or ''
    return vim.str_byteindex(line, client.offset_encoding, position.character, false)
  end
  return { range.start.line, column(range.start), range['end'].line, column(range['end']) }
end

--- Shows that the edited lines begin there.
local function show_at(session, row, version)
  if session.progress then
    progress.move(session.progress, place_of.carry({ row, 0, row, 0 }, version, session.changes)[1])
  end
end

local on_event = {
  region = function(session, event)
    session.lines = announce.lines(event.range)
    show_at(session, event.range.start.line, event.version)
  end,
  places = function(session, event)
    session.places = places.receive(session, event)
    if event.chosen[1] then
      show_at(session, event.chosen[1].range.start.line, event.version)
    end
  end,
  hunk = function(session, event)
    session:add({
      id = event.hunkId, range = to_bytes(session, event.range, event.version), version = event.version,
      old_text = event.oldText, new_text = event.newText, doubt = event.doubt ~= vim.NIL and event.doubt or nil,
    })
  end,
  moved = function(session, event)
    for _, moved in ipairs(event.hunks) do
      session:move(moved.hunkId, to_bytes(session, moved.range, event.version), event.version)
    end
  end,
  dropped = function(session, event)
    session:remove(event.hunkId)
    if not event.replaced then
      outcome.say_dropped(session, event.reason)
    end
  end,
  progress = function(session, event)
    session.fraction = event.fraction
    session.statistics = event.statistics
    session.passed = event.lines
    session.is_thinking = event.thinking
  end,
  ['end'] = function(session, event)
    session.state = event.state
    end_progress(session)
    session.statistics = event.statistics ~= vim.NIL and event.statistics or nil
    session:settle_doubts(event.doubts)
    session:settle_tries(event)
    ended[session.buf] = session
    outcome.say_end(session, event)
  end,
}

local function session_of(edit_id)
  return vim.iter(sessions):find(function(session) return session.edit_id == edit_id end)
end

local function handle_edit_event(_, event)
  local session = session_of(event.editId)
  if not session then
    if early[event.editId] then
      table.insert(early[event.editId], event)
    elseif vim.iter(sessions):any(function(s) return not s.edit_id end) then
      early[event.editId] = { event }
    end
    return
  end
  local handler = on_event[event.kind]
  if handler and vim.api.nvim_buf_is_loaded(session.buf) then
    handler(session, event)
    if session:is_over() then
      forget(session)
    end
    redraw_status()
  end
end

local function handle_status(_, status, context)
  model[context.client_id] = status
  redraw_status()
end

local function handle_exit(code, signal, client_id)
  vim.schedule(function()
    model[client_id] = nil
    local during = ''
    for _, session in ipairs(sessions) do  -- forget() makes a new list
      if session.client_id == client_id then
        during = session.state == 'running' and ' during an edit' or during
        forget(session)
      end
    end
    local has_crashed = code ~= 0 or signal ~= 0 and signal ~= 15
    local then_what = restart.after_end(client_id, has_crashed)
    if has_crashed then
      local what = ('the server ended%s (exit code %d, signal %d)'):format(during, code, signal)
      local where = report.is_new() and ':RedraftReport says why' or 'see :checkhealth redraft'
      say.fail(('%s: %s%s'):format(what, then_what and then_what .. '; ' or '', where))
      -- Neovim reports it in a message that is longer than most screens are wide; our own message is enough.
      say.keep_back('^Client ' .. name .. ' quit with exit code')
    end
    redraw_status()
  end)
end

--- The program and the plugin are updated separately.
local function compare_protocol(client)
  local own = (client.server_capabilities.experimental or {}).redraft or {}
  if own.protocol ~= M.protocol then
    local older = (own.protocol or 0) < M.protocol and 'the program' or 'the plugin'
    say.warn(('the program speaks protocol %s, the plugin %d. Some features will not work. Update %s'):format(
      own.protocol or 'unknown', M.protocol, older))
  end
end

local message_levels = {
  [vim.lsp.protocol.MessageType.Error] = vim.log.levels.ERROR,
  [vim.lsp.protocol.MessageType.Warning] = vim.log.levels.WARN,
}

--- The command line with an absolute path, so that it works in any folder.
local function absolute(command)
  if command[1] and command[1]:find('/', 1, true) then
    command[1] = vim.fn.fnamemodify(command[1], ':p')
  end
  return command
end

--- The folder in which the server runs. Not the workspace, whose files are not trusted.
local function own_folder()
  local home = vim.uv.os_homedir()
  return home and vim.fn.isdirectory(home) == 1 and home or '/'
end

--- Neovim has one URI for all buffers without a name, so that the server would take them for one document.
local function is_second_without_name(buf)
  local has_no_name = function(each) return vim.api.nvim_buf_get_name(each) == '' end
  return has_no_name(buf) and vim.iter(vim.api.nvim_list_bufs()):any(function(other)
    return other ~= buf and has_no_name(other) and vim.lsp.get_clients({ name = name, bufnr = other })[1] ~= nil
  end)
end

--- The argument of vim.lsp.config().
---@return vim.lsp.Config
function M.config()
  return {
    name = name,
    cmd = absolute(config.command()),
    cmd_cwd = own_folder(),
    root_markers = { '.git' },
    root_dir = function(buf, start)  -- where Neovim starts the server by itself
      if not is_second_without_name(buf) then
        start(vim.fs.root(buf, vim.lsp.config[name].root_markers or {}))
      end
    end,
    capabilities = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), {
      textDocument = { inlineCompletion = { dynamicRegistration = false } },
      experimental = { redraft = { streamedEdits = true, prompt = true, prepare = true, userSettings = true } },
    }),
    settings = { redraft = config.server_settings() },
    handlers = {
      ['$/redraft/edit'] = handle_edit_event,
      ['$/redraft/prepare'] = announce.handle_progress,
      ['$/redraft/status'] = handle_status,
      ['window/showMessage'] = function(_, shown)
        say.say(shown.message, message_levels[shown.type])
      end,
    },
    commands = {
      ['redraft.prompt'] = function(command)
        require('redraft').prompt(command.arguments[1])
      end,
    },
    on_init = compare_protocol,
    on_exit = handle_exit,
  }
end

--- Why the buffer cannot be edited; nil if it can.
---@param buf integer
---@return string?
function M.why_not(buf)
  if not vim.bo[buf].modifiable then
    return 'the buffer is not modifiable'
  end
  return is_second_without_name(buf)
    and 'another buffer without a name is open. Name this one (:file NAME), and try again' or nil
end

--- The buffer's client; starts the server if none runs. Nil (with a message) if it cannot be started.
---@param buf integer
---@return vim.lsp.Client?
function M.attach(buf)
  local client = vim.lsp.get_clients({ name = name, bufnr = buf })[1]
  if client then
    return client
  end
  if not program.find() then
    program.say_missing()
    return nil
  end
  local settings = vim.lsp.config[name]
  settings = vim.tbl_extend('force', settings, { root_dir = vim.fs.root(buf, settings.root_markers or {}) })
  local id = vim.lsp.start(settings, { bufnr = buf })
  client = id and vim.lsp.get_client_by_id(id)
  if client and not vim.wait(5000, function() return client.initialized end, 10) then
    say.fail('the server does not answer. See :checkhealth redraft')
    return nil
  end
  return client
end

local function replay_early(edit_id)
  local events = early[edit_id] or {}
  early[edit_id] = nil
  if vim.iter(sessions):all(function(session) return session.edit_id ~= nil end) then
    early = {} -- the rest belongs to no session
  end
  for _, event in ipairs(events) do
    handle_edit_event(nil, event)
  end
end

--- Shows beside the lines that the edit is running.
local function begin_progress(session, range)
  local waits = function()  -- the server runs one edit after the other
    local earlier = vim.iter(sessions):find(function(each) return each.state == 'running' end)
    return earlier ~= nil and earlier ~= session
  end
  session.progress = progress.start(session.buf, range and range.start.line or 0, function()
    return outcome.phase(session, model[session.client_id], waits())
  end)
end

--- Starts an edit. Earlier ones stay, except those of the same place, which the server reports.
---@param client vim.lsp.Client
---@param buf integer
---@param instruction string
---@param place table the lines (`range`), or the places in the file (`ranges`, or the scope `file` to let the server find them);
--- `another` for a retry
function M.start(client, buf, instruction, place)
  if apply.has_stray_returns(buf) then
    return say.fail('the buffer contains carriage returns that end a line for the server but not in Neovim. Remove them first '
      .. '(the pattern \\r finds them)')
  end
  local session = Session.new(buf, client.id, instruction, place)
  session.is_chosen = place.ranges ~= nil
  session.lines = place.scope == 'selection' and announce.lines(place.range) or nil  -- the region is known, so the
                                                                                     -- server need not find it
  table.insert(sessions, session)
  ended[buf] = nil
  begin_progress(session, place.range or place.ranges and place.ranges[1])
  local arguments = vim.tbl_extend('error', place, { instruction = instruction })
  local request = { command = place.change and 'redraft.apply' or 'redraft.edit', arguments = { arguments } }
  client:request('workspace/executeCommand', request, function(err, result)
    if err then
      say.fail(err.message)
      forget(session)
    elseif not session.closed then
      session.edit_id = result.editId
      replay_early(result.editId)
    end
    redraw_status()
  end, buf)
  redraw_status()
end

--- Removes the hunks `ids` from the session and returns them; false stands for an unknown one.
local function take(session, ids)
  return vim.tbl_map(function(id)
    local hunk = session.hunks[id] or false
    session:remove(id)
    return hunk
  end, ids)
end

--- Applies the accepted change in one undo step, or not at all if the buffer lacks the text that it replaces.
local function apply_accepted(session, answer, hunks, encoding)
  if apply.has_stray_returns(session.buf) or not apply.fits(session.buf, answer.edit, hunks, encoding) then
    return say.fail('the buffer differs from the text that the server knows. Nothing was changed; request the edit again')
  end
  vim.api.nvim_buf_call(session.buf, function()
    vim.cmd('let &g:undolevels = &g:undolevels') -- ends the previous undo step
    apply.apply(session.buf, answer.edit, encoding)
    vim.cmd('let &g:undolevels = &g:undolevels')
  end)
end

--- Decides on hunks (nil for all, also those with a doubt). Synchronous, so that nothing can be typed between the
--- server's answer and the change.
---@param session redraft.Session
---@param ids integer[]?
---@param action 'accept'|'reject'
---@return integer n_hunks taken out of the edit
function M.resolve(session, ids, action)
  local client = vim.lsp.get_client_by_id(session.client_id)
  if not (client and session.edit_id) then
    return 0
  end
  if action == 'accept' and not vim.bo[session.buf].modifiable then  -- the server would drop the hunks after an accept
    say.fail('the buffer is not modifiable; the changes are kept')
    return 0
  end
  local params = { editId = session.edit_id, hunkIds = ids, action = action, doubtful = true }
  local answer, reason = client:request_sync('redraft/resolveEdit', params, 5000, session.buf)
  if not answer or answer.err then
    say.fail(answer and answer.err.message or ('no answer from the server: ' .. reason))
    return 0
  end
  session.resolved = true
  session.has_accepted = session.has_accepted or action == 'accept' and #answer.result.hunkIds > 0
  local hunks = take(session, answer.result.hunkIds)
  if answer.result.edit and answer.result.edit ~= vim.NIL then
    apply_accepted(session, answer.result, hunks, client.offset_encoding)
    for _, each in ipairs(M.sessions(session.buf)) do
      each:redraw()
    end
  end
  if session:is_over() then
    forget(session)
  end
  redraw_status()
  return #answer.result.hunkIds
end

--- The place for another try of an edit, whose waiting hunks are rejected. Nil (with a message) if another try is not
--- possible.
---@param session redraft.Session
---@return table?
function M.make_way_for_another(session)
  if session.state == 'running' then
    return say.say('the edit is still running. Request another try when it has finished')
  elseif not session.next_try then
    return say.say('there is no other try of this edit. Rephrase the instruction')
  elseif not session:has_its_text() then
    return say.say('no other try: ' .. (session.has_accepted and 'changes of this edit were accepted. Undo them first'
      or 'the text has changed since. Request the edit again'))
  elseif next(session.hunks) then
    M.resolve(session, nil, 'reject')
    if next(session.hunks) then
      return nil
    end
  end
  local document = { uri = vim.uri_from_bufnr(session.buf), version = vim.lsp.util.buf_versions[session.buf] }
  return vim.tbl_extend('force', session.target, { textDocument = document, another = session.next_try })
end

---@param session redraft.Session
function M.cancel(session)
  local client = vim.lsp.get_client_by_id(session.client_id)
  if client and session.edit_id and session.state == 'running' then
    session.is_cancelled = true
    progress.refresh()
    local request = { command = 'redraft.cancel', arguments = { { editId = session.edit_id } } }
    client:request('workspace/executeCommand', request, function(err)
      if err then
        say.fail(err.message)
      end
    end, session.buf)
  end
end

--- Ends the edits of a buffer whose text is gone. Returns how many changes waited there; nil if there was no edit.
local function drop(buf)
  local dropped
  for _, session in ipairs(M.sessions(buf)) do
    dropped = (dropped or 0) + session:count()
    M.cancel(session)
    forget(session)
  end
  ended[buf] = nil
  return dropped
end

local group = vim.api.nvim_create_augroup('redraft.client', {})
local unloaded = {} ---@type table<integer, integer?> by buffer: the changes that were dropped by this command

vim.api.nvim_create_autocmd({ 'BufUnload' }, {
  group = group,
  callback = function(event)
    unloaded[event.buf] = drop(event.buf)
    vim.schedule(function() unloaded[event.buf] = nil end)
  end,
})

-- ":edit!" unloads the buffer first; a file that changed on the disk ('autoread') is read into the loaded buffer. For the
-- server, the document is closed and opened again both times.
vim.api.nvim_create_autocmd({ 'BufReadPost' }, {
  group = group,
  callback = function(event)
    local n = unloaded[event.buf] or drop(event.buf)
    unloaded[event.buf] = nil
    if n then
      say.warn(('the file was read again from the disk, which dropped its %s. Request the edit again'):format(
        n == 0 and 'edit' or n == 1 and 'change' or n .. ' changes'))
    end
  end,
})

return M
