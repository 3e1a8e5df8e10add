-- The places in a file that an edit changes, and the remaining ones, which follow the text, so that the user can edit
-- them too.
local float = require('redraft.float')
local place = require('redraft.place')
local say = require('redraft.say')

local M = {}

local namespace = vim.api.nvim_create_namespace('redraft.places')
local shown_names = 3
local name_width = 30

---@class redraft.Places the places that an edit changes, for the user
---@field count string "3 of 41 places"
---@field names string "read, write, close and 2 more"

---@class redraft.Left the remaining places of a buffer's last edit
---@field instruction string
---@field places { name: string, mark: integer }[] the likeliest first
local left = {} ---@type table<integer, redraft.Left> by buffer

local function forget(buf)
  left[buf] = nil
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  end
end

--- Where a place is now; nil if its lines are gone, or blank.
---@return integer? first 0-based
---@return integer? last exclusive
local function lines_of(buf, mark)
  local found = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, mark, { details = true })
  local first, last = found[1], found[3].end_col > 0 and found[3].end_row + 1 or found[3].end_row
  if vim.iter(vim.api.nvim_buf_get_lines(buf, first, last, false)):any(function(line) return line:find('%S') end) then
    return first, last
  end
end

local function remember(session, event)
  forget(session.buf)
  local n_lines = vim.api.nvim_buf_line_count(session.buf)
  local places = vim.tbl_map(function(other)
    local range = { other.range.start.line, 0, other.range['end'].line, 0 }
    range = place.carry(range, event.version, session.changes)
    local mark = vim.api.nvim_buf_set_extmark(session.buf, namespace, math.min(range[1], n_lines), 0, {
      end_row = math.min(range[3], n_lines), end_col = 0, right_gravity = true, end_right_gravity = false,
    })
    return { name = other.name, mark = mark }
  end, event.others)
  left[session.buf] = { instruction = session.instruction, places = places }
end

local function shortened(name)
  return vim.fn.strcharlen(name) > name_width and vim.fn.strcharpart(name, 0, name_width - 1) .. '…' or name
end

--- Handles a `places` event: remembers the remaining places.
---@param session redraft.Session
---@param event table
---@return redraft.Places
function M.receive(session, event)
  if not session.is_chosen then
    remember(session, event)
  end
  local n = #event.chosen
  local names = vim.iter(event.chosen):take(shown_names):map(function(chosen) return shortened(chosen.name) end):join(', ')
  return {
    count = session.is_chosen and (n == 1 and '1 place' or n .. ' places') or ('%d of %d places'):format(n, event.parts),
    names = n > shown_names and ('%s and %d more'):format(names, n - shown_names) or names,
  }
end

--- The remaining places of the buffer that still exist.
---@return { name: string, first: integer, last: integer, place: table }[]
local function offered_in(buf)
  local offered = {}
  for _, each in ipairs(left[buf] and left[buf].places or {}) do
    local first, last = lines_of(buf, each.mark)
    if first then
      table.insert(offered, { name = each.name, first = first, last = last, place = each })
    end
  end
  return offered
end

--- How many places of the buffer remain.
---@param buf integer
---@return integer
function M.count(buf)
  return #offered_in(buf)
end

--- The ranges of the places in `chosen` that still exist. They no longer count as remaining.
local function take(buf, chosen)
  local ranges = {}
  for _, item in ipairs(offered_in(buf)) do
    if vim.list_contains(chosen, item.place) then
      table.insert(ranges, { start = { line = item.first, character = 0 }, ['end'] = { line = item.last, character = 0 } })
    end
  end
  left[buf].places = vim.tbl_filter(function(each) return not vim.list_contains(chosen, each) end, left[buf].places)
  return ranges
end

local function say_none()
  say.say('no places are left in this buffer. :RedraftFile finds some')
end

--- Offers the remaining places. `start` edits the ranges of the chosen ones with the same instruction. The choice may
--- come late (the text may change while the window is open), so it refers to places, not lines.
---@param buf integer
---@param start fun(instruction: string, ranges: lsp.Range[])
function M.choose(buf, start)
  local known, items = left[buf], offered_in(buf)
  if #items == 0 then
    return say_none()
  end
  local all = vim.tbl_map(function(item) return item.place end, items)
  if #items > 1 then
    table.insert(items, { all = true })
  end
  float.select(items, {
    prompt = ('redraft: edit further places? "%s"'):format(known.instruction),
    kind = 'redraft.places',
    format_item = function(item)
      return item.all and ('all %d of them'):format(#all) or ('%s (line %d)'):format(item.name, item.first + 1)
    end,
  }, function(choice)
    if not choice then
      return
    elseif left[buf] ~= known then
      return say.warn('other places were found meanwhile. Choose again')
    end
    local ranges = take(buf, choice.all and all or { choice.place })
    if #ranges == 0 then
      return say_none()
    end
    start(known.instruction, ranges)
  end)
end

vim.api.nvim_create_autocmd('BufUnload', {
  group = vim.api.nvim_create_augroup('redraft.places', {}),
  callback = function(event)
    forget(event.buf)
  end,
})

return M
