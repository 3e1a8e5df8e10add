-- The places of a file that an edit takes, and those that it leaves: they follow the text, so that the user can have them
-- edited too.
local place = require('redraft.place')

local M = {}

local namespace = vim.api.nvim_create_namespace('redraft.places')
local shown_names = 3

---@class redraft.Left what the last edit of a buffer's places left
---@field instruction string
---@field places { name: string, mark: integer }[] the likeliest first
local left = {} ---@type table<integer, redraft.Left> by buffer

local function forget(buf)
  left[buf] = nil
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  end
end

--- Where a place is now; nil if all of its lines are gone.
---@return integer? first 0-based
---@return integer? last exclusive
local function lines_of(buf, mark)
  local found = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, mark, { details = true })
  if not found[1] or found[3].invalid or found[3].end_row <= found[1] then
    return nil
  end
  return found[1], found[3].end_row
end

--- Handles a `places` event: remembers what is left.
---@param session redraft.Session
---@param event table
---@return string what is edited, for people: "3 of 41 places: read, write, close"
function M.receive(session, event)
  if not session.is_chosen then
    forget(session.buf)
    local places = {}
    for _, other in ipairs(event.others) do
      local range = { other.range.start.line, 0, other.range['end'].line, 0 }
      range = place.carry(range, event.version, session.changes)
      local end_row = math.min(range[3], vim.api.nvim_buf_line_count(session.buf))
      local mark = vim.api.nvim_buf_set_extmark(session.buf, namespace, range[1], 0, {
        end_row = end_row, right_gravity = true, end_right_gravity = false, invalidate = true, undo_restore = true,
      })
      table.insert(places, { name = other.name, mark = mark })
    end
    left[session.buf] = { instruction = session.instruction, places = places }
  end
  local names = vim.tbl_map(function(chosen) return chosen.name end, event.chosen)
  local text = table.concat(names, ', ', 1, math.min(#names, shown_names))
  local more = #names > shown_names and (' and %d more'):format(#names - shown_names) or ''
  return ('%d of %d places: %s%s'):format(#names, math.max(event.parts, #names), text, more)
end

--- How many places of the buffer are left.
---@param buf integer
---@return integer
function M.count(buf)
  return left[buf] and #left[buf].places or 0
end

--- Offers the places that are left. `start` edits the ranges of those that the user chooses, by the same instruction;
--- they are no longer left then.
---@param buf integer
---@param start fun(instruction: string, ranges: lsp.Range[])
function M.choose(buf, start)
  local known = left[buf]
  local offered = {}
  for _, each in ipairs(known and known.places or {}) do
    local first, last = lines_of(buf, each.mark)
    if first then
      table.insert(offered, { name = each.name, first = first, last = last, place = each })
    end
  end
  if #offered == 0 then
    return vim.notify('redraft: no places are left in this buffer; :RedraftFile finds some', vim.log.levels.INFO)
  end
  if #offered > 1 then
    table.insert(offered, { all = true })
  end
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  vim.ui.select(offered, {
    prompt = ('redraft: edit further places? "%s"'):format(known.instruction),
    kind = 'redraft.places',
    format_item = function(item)
      return item.all and ('all %d of them'):format(#offered - 1) or ('%s (line %d)'):format(item.name, item.first + 1)
    end,
  }, function(choice)
    if not choice then
      return
    elseif left[buf] ~= known or vim.api.nvim_buf_get_changedtick(buf) ~= tick then
      return vim.notify('redraft: the file was changed meanwhile: choose again', vim.log.levels.WARN)
    end
    local ranges, rest = {}, {}
    for _, item in ipairs(offered) do
      if not item.all and (choice.all or item == choice) then
        table.insert(ranges, { start = { line = item.first, character = 0 }, ['end'] = { line = item.last, character = 0 } })
      elseif not item.all then
        table.insert(rest, item.place)
      end
    end
    known.places = rest
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
