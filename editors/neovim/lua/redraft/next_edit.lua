-- Next edits: changes that follow from the user's last ones. A proposal looks like a hunk of an edit; one key jumps
-- there and, pressed there, applies it.
local keys = require('redraft.keys')
local Question = require('redraft.question')
local say = require('redraft.say')
local view = require('redraft.view')

local M = {}

local client_name = 'redraft'
local method = 'redraft/nextEdit'
local delay = 400  -- milliseconds without a change before the request
local namespace = vim.api.nvim_create_namespace('redraft.next_edit')

---@class redraft.NextEdit
---@field client_id integer
---@field edit table as the server sent it
---@field buf integer? where the change is; nil for a file that is not open
---@field marks { old: integer, new: integer }? likewise
---@field hint { buf: integer, id: integer }? at the cursor, while the place is out of sight
local shown ---@type redraft.NextEdit?
local told ---@type string? the last note that the user was shown
local question = Question.new()
local timer ---@type uv.uv_timer_t?

local function client_of(buf)
  return vim.lsp.get_clients({ name = client_name, bufnr = buf })[1]
end

local function stop_asking()
  if timer then
    timer:stop()
  end
  question:cancel()
end

local function erase()
  if not shown then
    return
  end
  if shown.buf then
    view.erase(shown.buf, shown.marks)
  end
  if shown.hint and vim.api.nvim_buf_is_valid(shown.hint.buf) then
    vim.api.nvim_buf_del_extmark(shown.hint.buf, namespace, shown.hint.id)
  end
  shown = nil
end

---@return boolean
function M.is_visible()
  return shown ~= nil
end

local function tell(command)
  local client = shown and vim.lsp.get_client_by_id(shown.client_id)
  local ours = shown and shown.edit.command
  if client and ours then
    client:request('workspace/executeCommand', { command = command or ours.command, arguments = ours.arguments },
      function() end)
  end
end

--- Rejects the proposal; it is not made again.
function M.dismiss()
  stop_asking()
  if shown then
    tell('redraft.nextEditRejected')
    erase()
  end
end

local function in_sight(buf, row)
  return buf == vim.api.nvim_get_current_buf() and row + 1 >= vim.fn.line('w0') and row + 1 <= vim.fn.line('w$')
end

--- The hint at the cursor: where the change is, if it is out of sight.
local function draw_hint(row)
  if in_sight(shown.buf, row) then
    return
  end
  local here = vim.api.nvim_get_current_buf()
  local name = vim.uri_to_fname(shown.edit.textDocument.uri)
  local file = shown.buf ~= here and vim.fn.fnamemodify(name, ':t') .. ':' or 'line '
  local text = (' redraft: the next change is at %s%d'):format(file, row + 1)
  local cursor = vim.api.nvim_win_get_cursor(0)[1] - 1
  local id = vim.api.nvim_buf_set_extmark(here, namespace, cursor, 0, { virt_text = { { text, 'RedraftGhost' } } })
  shown.hint = { buf = here, id = id }
end

---@return redraft.Range
local function range_of(buf, range, encoding)
  local function column(position)
    local line = vim.api.nvim_buf_get_lines(buf, position.line, position.line + 1, false)[1] or ''
    return vim.str_byteindex(line, encoding, position.character, false)
  end
  return { range.start.line, column(range.start), range['end'].line, column(range['end']) }
end

--- What the search found, and whether the model was involved.
local function note_of(answer)
  local note = answer.note ~= vim.NIL and answer.note or nil
  if not answer.byTree then
    return note
  end
  return (note and note .. '; ' or '') .. 'by the syntax tree, without the model'
end

--- Reports that nothing is proposed. An automatic note is shown once.
local function say_none(err, answer, is_explicit)
  local why = err and err.message or answer.whyNone
  local note = not err and answer.note ~= vim.NIL and answer.note or nil
  if is_explicit and why then
    say.say('no next edit: ' .. why)
  elseif note and note ~= told then
    say.say(note, nil, { brief = true })
  end
  told = note or told
end

local function show(client, edit, note)
  local version = edit.textDocument.version
  if version == nil or version == vim.NIL then  -- the file is not open; it is opened and searched again when the user
                                                -- goes there
    shown = { client_id = client.id, edit = edit }
    return draw_hint(edit.range.start.line)
  end
  local buf = vim.uri_to_bufnr(edit.textDocument.uri)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.lsp.util.buf_versions[buf] ~= version then
    return
  end
  local range = range_of(buf, edit.range, client.offset_encoding)
  local marks = view.draw(buf, range, edit.text, nil, { note = note, hint = keys.proposal_hint(buf) })
  shown = { buf = buf, client_id = client.id, edit = edit, marks = marks }
  draw_hint(range[1])
end

--- Requests what follows from the last changes.
---@param is_explicit boolean? on the user's request, which also reports that there is nothing
function M.ask(is_explicit)
  stop_asking()
  erase()
  local buf = vim.api.nvim_get_current_buf()
  local client = client_of(buf)
  if not client then
    return
  end
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buf), version = vim.lsp.util.buf_versions[buf] },
    position = { line = vim.api.nvim_win_get_cursor(0)[1] - 1, character = 0 },
    inFiles = true,
    invoked = is_explicit or false,
  }
  question:ask(client, method, params, function(err, answer)
    if err or #answer.edits == 0 then
      return say_none(err, answer, is_explicit)
    end
    show(client, answer.edits[1], note_of(answer))
  end, buf)
end

--- Opens the file that contains the change and shows the change.
local function open_file(edit)
  erase()
  local buf = vim.fn.bufadd(vim.uri_to_fname(edit.textDocument.uri))
  vim.bo[buf].buflisted = true
  vim.cmd("normal! m'")
  vim.api.nvim_set_current_buf(buf)
  vim.api.nvim_win_set_cursor(0, { math.min(edit.range.start.line + 1, vim.api.nvim_buf_line_count(buf)), 0 })
  vim.schedule(function() M.ask(true) end)  -- by then the server has it, too
end

--- Jumps to the proposed change or, if the cursor is there, applies it; requests a proposal if none is shown.
function M.go()
  if not shown then
    return M.ask(true)
  end
  if not shown.buf then
    return open_file(shown.edit)
  end
  local range = view.range(shown.buf, shown.marks)
  if not range then
    return erase()
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local there = vim.api.nvim_get_current_buf() == shown.buf and row >= range[1] and row <= math.max(range[3] - 1, range[1])
  if not there then
    vim.cmd("normal! m'")
    vim.api.nvim_set_current_buf(shown.buf)
    local last = vim.api.nvim_buf_line_count(shown.buf)
    return vim.api.nvim_win_set_cursor(0, { math.min(range[1] + 1, last), 0 })
  end
  local client = vim.lsp.get_client_by_id(shown.client_id)
  local buf, edit = shown.buf, shown.edit
  if vim.lsp.util.buf_versions[buf] ~= edit.textDocument.version then  -- another program changed it without TextChanged
    erase()
    return say.say('the text has changed since. :RedraftNextEdit searches again')
  end
  tell()
  erase()
  if client then
    vim.lsp.util.apply_text_edits({ { range = edit.range, newText = edit.text } }, buf, client.offset_encoding)
  end
end

local function ask_soon()
  stop_asking()
  erase()
  timer = timer or vim.uv.new_timer()
  timer:start(delay, 0, vim.schedule_wrap(function()
    if vim.api.nvim_get_mode().mode == 'n' then
      M.ask()
    end
  end))
end

--- Requests next edits after changes in normal mode and on leaving insert mode.
function M.enable()
  local group = vim.api.nvim_create_augroup('redraft.next_edit', {})
  local on = function(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  local tick
  on('InsertEnter', function(event)
    stop_asking()
    erase()
    tick = vim.api.nvim_buf_get_changedtick(event.buf)
  end)
  on('InsertLeave', function(event)
    if vim.api.nvim_buf_get_changedtick(event.buf) ~= tick then
      ask_soon()
    end
  end)
  on('TextChanged', ask_soon)
end

function M.disable()
  stop_asking()
  erase()
  vim.api.nvim_create_augroup('redraft.next_edit', {})
end

return M
