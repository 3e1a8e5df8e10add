-- The language client: starts the server, sends requests and receives notifications. docs/protocol.md is the contract.
local Session = require('redraft.session')
local announce = require('redraft.announce')
local apply = require('redraft.apply')
local config = require('redraft.config')
local places = require('redraft.places')

local M = {}

local name = 'redraft'
local sessions = {} ---@type redraft.Session[] in the order in which they were requested
local early = {} ---@type table<integer, table[]> notifications of edits whose ids are not known yet
local model = {} ---@type table<integer, table> by client: the last $/redraft/status

local function notify(message, level)
  vim.notify('redraft: ' .. message, level or vim.log.levels.INFO)
end

local function redraw_status()
  vim.api.nvim_exec_autocmds('User', { pattern = 'RedraftStatus', modeline = false })
  vim.cmd.redrawstatus()
end

--- The edits of a buffer that run or wait for a decision, in the order in which they were requested.
---@param buf integer
---@return redraft.Session[]
function M.sessions(buf)
  return vim.tbl_filter(function(session) return session.buf == buf end, sessions)
end

---@param client_id integer?
---@return table? status
function M.model(client_id)
  if client_id then
    return model[client_id]
  end
  return select(2, next(model))
end

local function forget(session)
  session:close()
  sessions = vim.tbl_filter(function(other) return other ~= session end, sessions)
end

local function to_range(range)
  return { range.start.line, range.start.character, range['end'].line, range['end'].character }
end

--- Positions here count bytes; those of a server that only speaks UTF-16 are converted with the buffer's current text.
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

--- More than one line asks for a key before one can go on; beside it is what 'ruler' and 'showcmd' show.
function M.on_one_line(text)
  return vim.fn.strcharpart(text, 0, vim.o.columns - 22)
end

local function say_places(session)
  local changed = session:count() > 0 or session.resolved
  local n_left = places.count(session.buf)
  local more = n_left > 0 and (' (:RedraftMore offers %d more)'):format(n_left) or ''
  local said = ('%s %s%s: %s'):format(changed and 'edited' or 'the model changed nothing in', session.places.count, more,
    session.places.names)
  notify(M.on_one_line(said))
end

local function say_end(session, event)
  if event.state == 'failed' then
    notify(event.error or 'the edit failed', vim.log.levels.ERROR)
  elseif event.state == 'cancelled' then
    local why = event.error ~= vim.NIL and event.error
    notify('edit cancelled' .. (why and ': ' .. why or ''))
  elseif event.finishReason == 'length' then
    notify('the model ran into the token limit: the edit may be incomplete', vim.log.levels.WARN)
  elseif session:reasons() then
    notify(M.on_one_line('look at this edit: ' .. session:reasons()), vim.log.levels.WARN)
  elseif session.places then
    say_places(session)
  elseif #(event.tidied or {}) > 0 then
    notify(M.on_one_line('put right: ' .. table.concat(event.tidied, '; ')))
  elseif session:count() == 0 and not session.resolved then
    notify(event.placed and 'nothing to change: the file has it already'
      or M.on_one_line('the model changed nothing: say it in other words, or widen the region'))
  end
end

--- A newer edit may replace many hunks at once: that is reported once.
local function say_dropped(session, reason)
  local said = session.dropped or {}
  session.dropped = said
  said[reason] = (said[reason] or 0) + 1
  if said[reason] > 1 then
    return
  end
  vim.schedule(function()
    local n = said[reason]
    said[reason] = nil
    notify(('%s dropped: %s'):format(n == 1 and 'a change was' or n .. ' changes were', reason), vim.log.levels.WARN)
  end)
end

local on_event = {
  region = function(session, event)
    session.lines = announce.lines(event.range)
  end,
  places = function(session, event)
    session.places = places.receive(session, event)
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
      say_dropped(session, event.reason)
    end
  end,
  progress = function(session, event)
    session.fraction = event.fraction
    session.statistics = event.statistics
  end,
  ['end'] = function(session, event)
    session.state = event.state
    session.statistics = event.statistics ~= vim.NIL and event.statistics or nil
    session:settle_doubts(event.doubts)
    say_end(session, event)
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
      M.last = session
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
    for _, session in ipairs(sessions) do -- forget() makes another list
      if session.client_id == client_id then
        if session.state == 'running' then
          notify(('the server ended during an edit (exit code %d, signal %d); :LspLog may say why'):format(code, signal),
            vim.log.levels.ERROR)
        end
        forget(session)
      end
    end
    redraw_status()
  end)
end

--- The argument of vim.lsp.config().
---@return vim.lsp.Config
function M.config()
  return {
    name = name,
    cmd = config.command(),
    root_markers = { '.git' },
    capabilities = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), {
      textDocument = { inlineCompletion = { dynamicRegistration = false } },
      experimental = { redraft = { streamedEdits = true, prompt = true, prepare = true } },
    }),
    settings = { redraft = config.server_settings() },
    handlers = {
      ['$/redraft/edit'] = handle_edit_event,
      ['$/redraft/prepare'] = announce.handle_progress,
      ['$/redraft/status'] = handle_status,
    },
    commands = {
      ['redraft.prompt'] = function(command)
        require('redraft').prompt(command.arguments[1])
      end,
    },
    on_exit = handle_exit,
  }
end

--- The buffer's client; starts the server if none runs. Nil (with a message) if it cannot be started.
---@param buf integer
---@return vim.lsp.Client?
function M.attach(buf)
  local client = vim.lsp.get_clients({ name = name, bufnr = buf })[1]
  if client then
    return client
  end
  local cmd = config.values.cmd[1]
  if vim.fn.executable(cmd) == 0 then
    notify(('"%s" is not an executable. Build it (make build), put it into your PATH or give its path: '
      .. "require('redraft').setup({ cmd = { '/path/to/redraft', 'lsp' } })"):format(cmd), vim.log.levels.ERROR)
    return nil
  end
  local settings = vim.lsp.config[name] or M.config()
  settings = vim.tbl_extend('force', settings, { root_dir = vim.fs.root(buf, settings.root_markers or {}) })
  local id = vim.lsp.start(settings, { bufnr = buf })
  client = id and vim.lsp.get_client_by_id(id)
  if client and not vim.wait(5000, function() return client.initialized end, 10) then
    notify('the server does not answer; :LspLog may say why', vim.log.levels.ERROR)
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

--- Starts an edit. Earlier ones stay, except those of the same place, which the server reports.
---@param client vim.lsp.Client
---@param buf integer
---@param instruction string
---@param place table the lines (`range`), or the places of the file (`ranges`, or the scope `file` to have them found)
function M.start(client, buf, instruction, place)
  if apply.has_stray_returns(buf) then
    return notify('the buffer holds carriage returns that end no line here but do for the server: remove them first '
      .. '(the pattern \\r finds them)', vim.log.levels.ERROR)
  end
  local session = Session.new(buf, client.id, instruction)
  session.is_chosen = place.ranges ~= nil
  session.lines = place.scope == 'selection' and announce.lines(place.range) or nil -- the server need not find them
  table.insert(sessions, session)
  local arguments = vim.tbl_extend('error', place, { instruction = instruction })
  local request = { command = place.change and 'redraft.apply' or 'redraft.edit', arguments = { arguments } }
  client:request('workspace/executeCommand', request, function(err, result)
    if err then
      notify(err.message, vim.log.levels.ERROR)
      forget(session)
    elseif not session.closed then
      session.edit_id = result.editId
      replay_early(result.editId)
    end
    redraw_status()
  end, buf)
  redraw_status()
end

--- Takes the hunks `ids` out of the session and returns them; false stands for an unknown one.
local function take(session, ids)
  return vim.tbl_map(function(id)
    local hunk = session.hunks[id] or false
    session:remove(id)
    return hunk
  end, ids)
end

--- Applies the accepted change in one undo step, or not at all if the buffer does not have the text that it replaces.
local function apply_accepted(session, answer, hunks, encoding)
  if apply.has_stray_returns(session.buf) or not apply.fits(session.buf, answer.edit, hunks, encoding) then
    return notify('the buffer does not hold the text that the server knows: nothing was changed; ask again',
      vim.log.levels.ERROR)
  end
  vim.api.nvim_buf_call(session.buf, function()
    vim.cmd('let &g:undolevels = &g:undolevels') -- ends the previous undo step
    apply.apply(session.buf, answer.edit, encoding)
    vim.cmd('let &g:undolevels = &g:undolevels')
  end)
end

--- Decides on hunks (nil: all). Synchronous: nothing can be typed between the server's answer and the change.
---@param session redraft.Session
---@param ids integer[]?
---@param action 'accept'|'reject'
---@return integer n_hunks taken out of the edit
function M.resolve(session, ids, action)
  local client = vim.lsp.get_client_by_id(session.client_id)
  if not (client and session.edit_id) then
    return 0
  end
  if action == 'accept' and not vim.bo[session.buf].modifiable then -- asked now, the server would give the hunks away
    notify('the buffer is not modifiable: the changes wait', vim.log.levels.ERROR)
    return 0
  end
  local params = { editId = session.edit_id, hunkIds = ids, action = action }
  local answer, reason = client:request_sync('redraft/resolveEdit', params, 5000, session.buf)
  if not answer or answer.err then
    notify(answer and answer.err.message or ('no answer from the server: ' .. reason), vim.log.levels.ERROR)
    return 0
  end
  session.resolved = true
  local hunks = take(session, answer.result.hunkIds)
  if answer.result.edit and answer.result.edit ~= vim.NIL then
    apply_accepted(session, answer.result, hunks, client.offset_encoding)
    for _, each in ipairs(M.sessions(session.buf)) do
      each:redraw()
    end
  end
  if session:is_over() then
    M.last = session
    forget(session)
  end
  redraw_status()
  return #answer.result.hunkIds
end

---@param session redraft.Session
function M.cancel(session)
  local client = vim.lsp.get_client_by_id(session.client_id)
  if client and session.edit_id and session.state == 'running' then
    local request = { command = 'redraft.cancel', arguments = { { editId = session.edit_id } } }
    client:request('workspace/executeCommand', request, function(err)
      if err then
        notify(err.message, vim.log.levels.ERROR)
      end
    end, session.buf)
  end
end

vim.api.nvim_create_autocmd({ 'BufUnload' }, {
  group = vim.api.nvim_create_augroup('redraft.client', {}),
  callback = function(event)
    for _, session in ipairs(M.sessions(event.buf)) do
      M.cancel(session)
      forget(session)
    end
  end,
})

return M
