-- Announces the place of an edit before it is requested, so that the server reads it while the user types the instruction
-- or looks at a visual selection, and shows which lines the edit will change.
local note = require('redraft.note')

local M = {}

local name = 'redraft'
local delay = 300  -- milliseconds that a selection must rest before it is announced
local namespace = vim.api.nvim_create_namespace('redraft.announce')

---@class redraft.Announcement
---@field buf integer
---@field client_id integer
---@field range lsp.Range? the cursor if it is empty; nil: the whole buffer
---@field is_prompted boolean the user types the instruction; otherwise a selection rests
---@field region lsp.Range? the lines that an edit there changes, once the server has found them
---@field chain { range: lsp.Range, scope: string, title: string }[]? the regions around the place, from the smallest
---@field index integer? of the announced one in `chain`
---@field reads boolean?
---@field fraction number of the text to read

-- At most one place is announced: the newest.
local newest ---@type redraft.Announcement?
local timer ---@type uv.uv_timer_t?

local group = vim.api.nvim_create_augroup('redraft.announce', {})

local function define_highlights()
  vim.api.nvim_set_hl(0, 'RedraftRegion', { link = 'Visual', default = true })
end

define_highlights()
vim.api.nvim_create_autocmd('ColorScheme', { group = group, callback = define_highlights })

--- The place of an edit, for `redraft/prepare` and `redraft.edit`: the server recognizes the same edit by it.
---@param buf integer
---@param range lsp.Range?
---@return table
function M.place(buf, range)
  return {
    textDocument = { uri = vim.uri_from_bufnr(buf), version = vim.lsp.util.buf_versions[buf] },
    range = range,
    scope = range and vim.deep_equal(range.start, range['end']) and 'auto' or nil,
  }
end

--- The lines [first, last] (1-based) from the start of the first to the end of the last, as an LSP range.
---@return lsp.Range
function M.line_range(lsp, buf, first, last)
  local text = vim.api.nvim_buf_get_lines(buf, last - 1, last, true)[1]
  local character = vim.str_utfindex(text, lsp.offset_encoding, #text)
  return { start = { line = first - 1, character = 0 }, ['end'] = { line = last - 1, character = character } }
end

--- The first and the last row. A range that ends where a line begins does not include that line.
local function rows(range)
  local first, last = range.start.line, range['end'].line
  return first, range['end'].character == 0 and last > first and last - 1 or last
end

--- For users: "line 3" or "lines 12-40".
---@param range lsp.Range
---@return string
function M.lines(range)
  local first, last = rows(range)
  return first == last and 'line ' .. first + 1 or ('lines %d-%d'):format(first + 1, last + 1)
end

--- The announced lines of the buffer; empty if there are none, or they are not known yet.
---@param buf integer
---@return string
function M.status(buf)
  if not (newest and newest.buf == buf and newest.region) then
    return ''
  end
  local what = newest.chain and newest.chain[newest.index].title or M.lines(newest.region)
  if not newest.reads then
    return what
  end
  return newest.fraction < 1 and ('%s, reading %d %%'):format(what, math.floor(newest.fraction * 100)) or what .. ', read'
end

--- An open prompt cannot change, so a note beside the text names the lines. For a place between two lines, only the
--- note is visible.
local function draw(buf, region)
  local first, last = rows(region)
  local n_lines = vim.api.nvim_buf_line_count(buf)
  first = math.min(first, n_lines - 1)
  if not vim.deep_equal(region.start, region['end']) then
    vim.api.nvim_buf_set_extmark(buf, namespace, first, 0, {
      end_row = math.min(last + 1, n_lines), hl_group = 'RedraftRegion', hl_eol = true, priority = 140,
    })
  end
  note.draw(buf, namespace, first, 'redraft: ' .. M.status(buf), 'RedraftRegion')
end

local function erase(announcement)
  if vim.api.nvim_buf_is_valid(announcement.buf) then
    vim.api.nvim_buf_clear_namespace(announcement.buf, namespace, 0, -1)
  end
end

--- Updates the display.
local function refresh(announcement)
  erase(announcement)
  local buf = announcement.buf
  if announcement == newest and announcement.is_prompted and announcement.region and vim.api.nvim_buf_is_loaded(buf) then
    draw(buf, announcement.region)
  end
  vim.api.nvim_exec_autocmds('User', { pattern = 'RedraftStatus', modeline = false })
  vim.cmd.redraw()  -- while a prompt is open in the command line, Neovim does not redraw on its own
  vim.cmd.redrawstatus()
end

local function set(announcement)
  local earlier = newest
  newest = announcement
  if earlier then
    refresh(earlier)
  end
end

local function stop()
  local client = newest and vim.lsp.get_client_by_id(newest.client_id)
  set(nil)
  if client then
    client:notify('redraft/stopPreparing', vim.empty_dict())
  end
end

--- The server's answers are about an outdated text.
local function end_with_a_change(announcement)
  vim.api.nvim_buf_attach(announcement.buf, false, {
    on_lines = function()
      if announcement == newest then
        vim.schedule(function()
          if announcement == newest then
            stop()
          end
        end)
      end
      return true -- detaches
    end,
  })
end

local function offers(client, what)
  return vim.tbl_get(client.server_capabilities or {}, 'experimental', 'redraft', what)
end

--- Makes the server read the announced region if it is known, otherwise the range.
local function prepare(client, announcement)
  local index = announcement.index
  client:request('redraft/prepare', M.announced_place(announcement), function(err, result)
    if not err and announcement == newest and index == announcement.index then  -- the edit reports an error
      announcement.region, announcement.reads, announcement.fraction = result.range, result.reads, 0
      refresh(announcement)
    end
  end, announcement.buf)
end

--- Shows a region of the chain and makes the server read it.
local function choose(client, announcement, index)
  announcement.index = index
  announcement.region, announcement.reads = announcement.chain[index].range, nil
  refresh(announcement)
  prepare(client, announcement)
end

local function announce(client, buf, range, is_prompted)
  if not offers(client, 'prepare') then
    return nil
  end
  local announcement = { buf = buf, client_id = client.id, range = range, is_prompted = is_prompted, fraction = 0 }
  set(announcement)
  end_with_a_change(announcement)
  if not (is_prompted and range and offers(client, 'region')) then
    prepare(client, announcement)
    return announcement
  end
  client:request('redraft/region', M.place(buf, range), function(err, result)
    if announcement ~= newest then
      return
    elseif err then
      return prepare(client, announcement)
    end
    announcement.chain = result.regions
    choose(client, announcement, result.index + 1)
  end, buf)
  return announcement
end

--- The place of the edit: the region that is shown or, before it is known, the range.
---@param announcement redraft.Announcement
---@return table
function M.announced_place(announcement)
  local place = M.place(announcement.buf, announcement.range)
  local chosen = announcement.chain and announcement.chain[announcement.index]
  if not chosen then
    return place
  end
  local is_cursor = vim.deep_equal(place.range.start, place.range['end'])
  local region = { range = chosen.range, scope = chosen.scope, cursor = is_cursor and place.range.start or nil }
  return vim.tbl_extend('force', place, region)
end

--- Whether the announcement is still the one that is shown and the text is unchanged.
---@param announcement redraft.Announcement?
---@return boolean
function M.stands(announcement)
  return announcement ~= nil and announcement == newest
end

--- While the user is asked for the instruction: takes the next region around the place (step 1), or the one inside (-1).
---@param step 1|-1
function M.widen(step)
  local client = newest and vim.lsp.get_client_by_id(newest.client_id)
  if client and newest.chain and newest.chain[newest.index + step] then
    choose(client, newest, newest.index + step)
  end
end

--- While the user is asked for the instruction. The caller must end it.
---@param client vim.lsp.Client?
---@param buf integer
---@param range lsp.Range?
---@return redraft.Announcement?
function M.begin(client, buf, range)
  if timer then
    timer:stop()
  end
  return client and announce(client, buf, range, true)
end

--- The edit itself ends the reading on the server's side and uses what was read.
---@param announcement redraft.Announcement?
---@param is_requested boolean
function M.finish(announcement, is_requested)
  if not announcement or announcement ~= newest then
    return
  elseif is_requested then
    set(nil)
  else
    stop()
  end
end

--- Handles `$/redraft/prepare`.
function M.handle_progress(_, event, context)
  if newest and newest.client_id == context.client_id and newest.region and vim.deep_equal(newest.region, event.range)
    and event.uri == vim.uri_from_bufnr(newest.buf) then
    newest.fraction = event.fraction
    newest.reads = newest.reads and not (event['end'] and event.fraction < 1)  -- otherwise it would still be shown as
                                                                               -- being read
    refresh(newest)
  end
end

local function is_visual()
  return vim.fn.mode():match('^[vV\22]') ~= nil
end

local function announce_selection()
  local buf = vim.api.nvim_get_current_buf()
  local client = vim.lsp.get_clients({ name = name, bufnr = buf })[1]
  if not (client and is_visual()) or newest and newest.is_prompted then
    return
  end
  local from, to = vim.fn.line('v'), vim.fn.line('.')
  local range = M.line_range(client, buf, math.min(from, to), math.max(from, to))  -- the same lines as for :RedraftEdit
  if not (newest and newest.buf == buf and vim.deep_equal(newest.range, range)) then
    announce(client, buf, range, false)
  end
end

local function announce_soon()
  if is_visual() then
    timer = timer or assert(vim.uv.new_timer())
    timer:start(delay, 0, vim.schedule_wrap(announce_selection))
  end
end

vim.api.nvim_create_autocmd('CursorMoved', { group = group, callback = announce_soon })
vim.api.nvim_create_autocmd('ModeChanged', { group = group, pattern = '*:[vV\22]*', callback = announce_soon })

-- ":" ends visual mode before it opens the command line, where the user may type the instruction for the selection.
vim.api.nvim_create_autocmd('ModeChanged', {
  group = group,
  pattern = { '[vV\22]*:*', 'c:*' },
  callback = function()
    if is_visual() then
      return
    end
    if timer then
      timer:stop()
    end
    vim.schedule(function()
      if newest and not newest.is_prompted and not is_visual() and vim.fn.mode() ~= 'c' then
        stop()
      end
    end)
  end,
})

vim.api.nvim_create_autocmd('BufUnload', {
  group = group,
  callback = function(event)
    if newest and newest.buf == event.buf then
      stop()
    end
  end,
})

return M
