-- Edits code with a local language model. :help redraft
local announce = require('redraft.announce')
local client = require('redraft.client')
local config = require('redraft.config')
local keys = require('redraft.keys')
local program = require('redraft.program')
local say = require('redraft.say')

local M = {}

local function is_blank(text)
  return text == nil or text:match('^%s*$') ~= nil
end

local function start(buf, instruction, place_of)
  local why_not = client.why_not(buf)
  if why_not then
    return say.fail(why_not)
  end
  local lsp = client.attach(buf)
  if lsp then
    client.start(lsp, buf, instruction, place_of(lsp))
  end
end

local function say_stale()
  say.warn('the file changed meanwhile. Select the lines again')
end

--- Asks for an instruction. The typed text does not stay on the screen.
local function ask(what, on_answer)
  vim.ui.input({ prompt = ('redraft: how should this %sbe edited? '):format(what) }, function(answer)
    say.clear()
    on_answer(answer)
  end)
end

--- Maps the keys that widen and narrow the region while a prompt is open: in the command line and, because vim.ui.input
--- may be a plugin's window, in insert mode. Returns a function that removes the mappings.
local function map_region_keys()
  local undo = {}
  for mode in ('ci'):gmatch('.') do
    for name, step in pairs({ widen = 1, narrow = -1 }) do
      local key = config.values.region_keys[name]
      if key and key ~= '' then
        local earlier = vim.fn.maparg(key, mode, false, true)
        vim.keymap.set(mode, key, function() announce.widen(step) end, { desc = name .. ' what redraft edits' })
        table.insert(undo, function()
          vim.keymap.del(mode, key)
          if not vim.tbl_isempty(earlier) and earlier.buffer ~= 1 then
            vim.fn.mapset(mode, false, earlier)
          end
        end)
      end
    end
  end
  return function() vim.iter(undo):each(function(each) each() end) end
end

--- Prompts for an instruction if there is none. Meanwhile a running server reads the place, and the user may widen or
--- narrow it. The answer may come late (vim.ui.input may be a plugin's window); a range refers to the text as it was
--- before.
local function ask_then_start(buf, instruction, has_range, range_of)
  local place_of = function(lsp) return announce.place(buf, range_of(lsp)) end
  local why_not = client.why_not(buf)
  if why_not then
    return say.fail(why_not)  -- before an instruction is written in vain
  elseif not is_blank(instruction) then
    return start(buf, instruction, place_of)
  end
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  local lsp = vim.lsp.get_clients({ name = 'redraft', bufnr = buf })[1]
  local announcement = announce.begin(lsp, buf, lsp and range_of(lsp))
  local unmap = map_region_keys()
  ask('', function(answer)
    unmap()
    local shown = announce.stands(announcement) and announce.announced_place(announcement)
    local is_same = vim.api.nvim_buf_is_valid(buf) and vim.api.nvim_buf_get_changedtick(buf) == tick
    local is_stale = has_range and not is_same
    announce.finish(announcement, not (is_blank(answer) or is_stale))
    if is_blank(answer) then
      return
    elseif is_stale then
      return say_stale()
    end
    start(buf, answer, shown and function() return shown end or place_of)
  end)
end

local function cursor_range(lsp)
  local row, col = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  local place = { line = row - 1, character = vim.str_utfindex(line, lsp.offset_encoding, math.min(col, #line), false) }
  return { start = place, ['end'] = place }
end

--- Edits the region around the cursor (a method, imports, attributes: :help redraft-region), or the buffer's lines
--- `first` to `last` (1-based, inclusive). Prompts if there is no instruction.
---@param opts { instruction: string?, first: integer?, last: integer? }?
function M.edit(opts)
  opts = opts or {}
  local buf = vim.api.nvim_get_current_buf()
  ask_then_start(buf, opts.instruction, opts.first ~= nil, function(lsp)
    return opts.first and announce.line_range(lsp, buf, opts.first, opts.last or opts.first) or cursor_range(lsp)
  end)
end

--- Edits the places in the file that the instruction is about. Prompts if there is no instruction.
---@param opts { instruction: string? }?
function M.edit_file(opts)
  local buf = vim.api.nvim_get_current_buf()
  local start_file = function(instruction)
    if not is_blank(instruction) then
      start(buf, instruction, function()
        return vim.tbl_extend('force', announce.place(buf), { scope = 'file' })
      end)
    end
  end
  if opts and not is_blank(opts.instruction) then
    return start_file(opts.instruction)
  end
  local why_not = client.why_not(buf)
  if why_not then
    return say.fail(why_not)
  end
  ask('file ', start_file)
end

--- Inserts code that another assistant wrote where it belongs in the file: the copied text, or a register. If nothing
--- else says where that is, it goes to the cursor.
---@param opts { register: string? }?
function M.apply(opts)
  local register = opts and opts.register or vim.fn.has('clipboard') == 1 and '+' or '"'
  local change = vim.fn.getreg(register)
  if is_blank(change) then
    return say.say(('register %s is empty. Copy some code first'):format(register))
  end
  local buf = vim.api.nvim_get_current_buf()
  start(buf, 'apply the copied code', function(lsp)
    return vim.tbl_extend('force', announce.place(buf, cursor_range(lsp)), { change = change })
  end)
end

--- Offers the remaining places of the file's last edit, to be edited with the same instruction.
function M.more()
  local buf = vim.api.nvim_get_current_buf()
  require('redraft.places').choose(buf, function(instruction, ranges)
    start(buf, instruction, function()
      return vim.tbl_extend('force', announce.place(buf), { ranges = ranges })
    end)
  end)
end

--- Handles the command of a code action: {textDocument, range?, instruction?}.
---@param wish table
function M.prompt(wish)
  local given = function(value)
    return value ~= vim.NIL and value or nil
  end
  local buf = vim.uri_to_bufnr(wish.textDocument.uri)
  local range, version = given(wish.range), given(wish.textDocument.version)
  if range and version and version ~= vim.lsp.util.buf_versions[buf] then
    return say_stale()
  end
  ask_then_start(buf, given(wish.instruction), range ~= nil, function()
    return range
  end)
end

--- The current buffer's edits, and the number of their waiting hunks.
local function current()
  local sessions = client.sessions(vim.api.nvim_get_current_buf())
  local n_hunks = vim.iter(sessions):fold(0, function(sum, session) return sum + session:count() end)
  return sessions, n_hunks
end

local function hunk_at(sessions, row)
  local beside
  for _, session in ipairs(sessions) do
    local id, is_beside = session:hunk_at(row)
    if id and not is_beside then
      return session, id
    end
    beside = beside or id and { session, id }
  end
  return unpack(beside or {})
end

--- The change to act on, independent of the cursor: the only one, if the window shows it.
local function only_hunk_in_sight(sessions)
  local session = vim.iter(sessions):find(function(each) return each:count() > 0 end)
  local hunk = session:visible()[1]
  return hunk and not session:out_of_sight() and session or nil, hunk and hunk.id
end

--- Accepts the hunks without a doubt. The others stay, and a message says why; who repeats the command accepts them.
local function accept_all(sessions)
  local n_left, why = 0, {}
  for _, session in ipairs(sessions) do
    local reasons = session:reasons()
    if reasons == nil or session.told == reasons then
      client.resolve(session, nil, 'accept')
    else
      local certain = session:certain()
      if #certain > 0 then
        client.resolve(session, certain, 'accept')
      end
      session.told = reasons
      n_left = n_left + session:count()
      table.insert(why, reasons)
    end
  end
  if n_left > 0 then
    local what, them = n_left == 1 and '1 change' or n_left .. ' changes', n_left == 1 and 'it' or 'them'
    say.warn(('%s not accepted: %s. Repeat the command to accept %s'):format(what, table.concat(why, '; '), them))
  end
end

local function resolve(action, all)
  local sessions, n_hunks = current()
  if n_hunks == 0 then
    return say.say('no changes to ' .. action .. ' in this buffer')
  end
  if all and action == 'accept' then
    return accept_all(sessions)
  elseif all then
    return vim.iter(sessions):each(function(session) client.resolve(session, nil, action) end)
  end
  local session, id = hunk_at(sessions, vim.api.nvim_win_get_cursor(0)[1] - 1)
  if not session and n_hunks == 1 then
    session, id = only_hunk_in_sight(sessions)
  end
  if not session then
    return say.say('no change under the cursor (with "!": all of them)')
  end
  client.resolve(session, { id }, action)
end

--- Accepts the hunk under the cursor, or all hunks without a doubt.
---@param opts { all: boolean? }?
function M.accept(opts)
  resolve('accept', opts and opts.all)
end

--- Rejects the hunk under the cursor, or all hunks.
---@param opts { all: boolean? }?
function M.reject(opts)
  resolve('reject', opts and opts.all)
end

--- Requests another answer for the edit of the change under the cursor, otherwise for the edit that finished last.
function M.another()
  local sessions = current()
  local session = hunk_at(sessions, vim.api.nvim_win_get_cursor(0)[1] - 1) or client.ended(vim.api.nvim_get_current_buf())
    or sessions[#sessions]
  if not session then
    return say.say('no edit of this buffer has finished yet')
  end
  if not vim.bo[session.buf].modifiable then
    return say.fail('the buffer is not modifiable')
  end
  local place = client.make_way_for_another(session)
  if place then
    start(session.buf, session.instruction, function() return place end)
  end
end

local function is_running(session)
  return session.state == 'running'
end

--- Cancels the current buffer's running and queued edits. Hunks received before remain.
function M.cancel()
  local running = vim.tbl_filter(is_running, (current()))
  if #running == 0 then
    return say.say('no edit is running in this buffer')
  end
  vim.iter(running):each(client.cancel)
end

--- The hunks of all edits, from top to bottom.
local function visible(sessions)
  local hunks = {}
  for _, session in ipairs(sessions) do
    vim.list_extend(hunks, session:visible())
  end
  table.sort(hunks, function(a, b)
    for i = 1, 4 do
      if a.range[i] ~= b.range[i] then
        return a.range[i] < b.range[i]
      end
    end
    return a.id < b.id
  end)
  return hunks
end

--- Moves the cursor to the next hunk (step 1) or the previous one (-1), wrapping around the end of the buffer.
---@param step 1|-1
function M.jump(step)
  local hunks = visible((current()))
  if #hunks == 0 then
    return say.say('no changes in this buffer')
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local last_row = vim.api.nvim_buf_line_count(0) - 1
  local target = step > 0 and hunks[1] or hunks[#hunks]
  for i = step > 0 and 1 or #hunks, step > 0 and #hunks or 1, step do
    local first = math.min(hunks[i].range[1], last_row)
    if (step > 0 and first > row) or (step < 0 and first < row) then
      target = hunks[i]
      break
    end
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { math.min(target.range[1], last_row) + 1, target.range[2] })
end

local function hunks_text(n)
  return n == 1 and '1 change' or n .. ' changes'
end

local function activity()
  local sessions, n_hunks = current()
  local session = vim.iter(sessions):find(is_running) or sessions[#sessions]
  local model = client.model(session and session.client_id)
  local fetching = package.loaded['redraft.pull'] and package.loaded['redraft.pull'].status() or ''
  if model and model.state == 'loading' then
    return 'redraft: loading the model'
  elseif session and session.state == 'running' then
    local places = session.places and ('editing %s: %s'):format(session.places.count, session.places.names)
    local what = places or session.lines
    return ('redraft: %s%d %%, %s'):format(what and what .. ', ' or '', math.floor(session.fraction * 100), hunks_text(n_hunks))
  end
  local announced = announce.status(vim.api.nvim_get_current_buf())
  if announced ~= '' then
    return 'redraft: ' .. announced
  elseif fetching ~= '' then
    return 'redraft: ' .. fetching
  elseif not session then
    return model and model.state == 'failed' and 'redraft: no model' or ''
  end
  local speed = session.statistics and session.statistics.tokensPerSecond or 0
  local figures = speed > 0 and (', %.0f tokens/s'):format(speed) or ''  -- no figures if the model did not run
  return ('redraft: %s%s'):format(hunks_text(n_hunks), figures)
end

--- A short line about the current buffer for a statusline; empty where redraft is not active. Names the server that
--- receives text, if there is one.
---@return string
function M.status()
  local host = (config.values.remote or ''):match('^%w+://([^/]+)')
  local line = activity()
  if not host then
    return line
  end
  return ('redraft → %s%s'):format(host, line:sub(#'redraft' + 1))
end

--- For scripts: the hunks of the current buffer's edits, and details of the running or last one; nil without an edit.
---@return { id: integer?, state: string, hunks: { id: integer, range: redraft.Range }[], fraction: number, statistics: table? }?
function M.info()
  local sessions = current()
  local session = vim.iter(sessions):find(is_running) or sessions[#sessions]
  return session and {
    id = session.edit_id, state = session.state, hunks = visible(sessions), fraction = session.fraction, statistics = session.statistics,
  }
end

--- Shows what the server is doing, what is off and why, and why there was no suggestion.
function M.explain()
  require('redraft.explain').open()
end

--- Offers to download a model, by default the one that the server uses.
---@param opts { model: string? }?
function M.pull(opts)
  require('redraft.pull').open(opts and opts.model)
end

--- Applies settings (:help redraft-settings) and starts the server with every file that is opened. Optional: without
--- it, :RedraftEdit starts the server when it is first needed.
---@param opts table?
function M.setup(opts)
  config.set(opts)
  if config.values.keymaps then
    keys.map_defaults()
  end
  if config.values.ghost_text then
    require('redraft.ghost').enable()
    require('redraft.jumps').enable()
  end
  if config.values.next_edit then
    require('redraft.next_edit').enable()
  end
  vim.lsp.config('redraft', client.config())
  program.watch()
  require('redraft.language').follow()
  vim.lsp.enable('redraft')
end

return M
