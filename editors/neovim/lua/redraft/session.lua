-- One edit of a buffer, which may have several: its hunks, drawn as they arrive, until each is accepted, rejected or
-- dropped.
local keys = require('redraft.keys')
local place = require('redraft.place')
local view = require('redraft.view')

---@class redraft.Hunk
---@field id integer
---@field range redraft.Range against `version` of the buffer
---@field version integer
---@field old_text string
---@field new_text string
---@field doubt string? what is wrong with it, for the user
---@field marks { old: integer, new: integer }? nil while it is not drawn

---@class redraft.Session
---@field buf integer
---@field client_id integer
---@field edit_id integer? nil until the server has answered
---@field state 'running'|'done'|'cancelled'|'failed'
---@field fraction number the progress of the edit, 0 to 1
---@field statistics table?
---@field instruction string
---@field is_chosen boolean the user chose the places
---@field places redraft.Places? the edited places in the file
---@field told string? why hunks were left when all were accepted, as the user was told
---@field lines string? the lines that may change, if the server chose them: "lines 12-40"
---@field is_cancelled boolean? the server was asked to end it
---@field target table what to edit: the command's arguments without the instruction
---@field text string of the buffer when it was requested
---@field next_try integer? the number of the next possible retry
---@field has_accepted boolean? a hunk was accepted
---@field passed table? how many of its lines the model has passed, as in the last `progress` event
---@field is_thinking boolean? the model thinks and has not begun with the code
---@field progress redraft.Progress? while it runs
---@field hunks table<integer, redraft.Hunk>
---@field changes redraft.Change[] of the buffer since the edit started
local Session = {}
Session.__index = Session

local function text_of(buf)
  return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), '\n')
end

---@param buf integer
---@param client_id integer
---@param instruction string
---@param target table
---@return redraft.Session
function Session.new(buf, client_id, instruction, target)
  local self = setmetatable({
    buf = buf, client_id = client_id, instruction = instruction, target = target, state = 'running', fraction = 0, hunks = {},
    changes = {}, closed = false, text = text_of(buf),
  }, Session)
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, tick, first, last, new_last)
      if self.closed then
        return true -- detaches
      end
      table.insert(self.changes, { tick = tick, first = first, last = last, new_last = new_last })
    end,
  })
  return self
end

--- Ends the session and removes everything it has drawn.
function Session:close()
  self.closed = true
  for _, hunk in pairs(self.hunks) do
    view.erase(self.buf, hunk.marks)
  end
  self.hunks = {}
end

---@return boolean whether nothing is left to wait for or to decide
function Session:is_over()
  return self.closed or (self.state ~= 'running' and next(self.hunks) == nil)
end

function Session:draw(hunk)
  local range = hunk.marks and view.range(self.buf, hunk.marks)
    or place.carry(hunk.range, hunk.version, self.changes)
  if hunk.marks or view.fits(self.buf, range, hunk.old_text) then
    self:draw_at(hunk, range)
  end
end

function Session:draw_at(hunk, range)
  local notes = { doubt = hunk.doubt, hint = keys.decision_hint(self.buf, self.next_try ~= nil and not self.has_accepted) }
  hunk.marks = view.draw(self.buf, range, hunk.new_text, hunk.marks, notes)
end

---@param hunk redraft.Hunk
function Session:add(hunk)
  self.hunks[hunk.id] = hunk
  self:draw(hunk)
end

--- The server reports where a hunk is now.
---@param id integer
---@param range redraft.Range
---@param version integer
function Session:move(id, range, version)
  local hunk = self.hunks[id]
  if not hunk then
    return
  end
  hunk.range, hunk.version = range, version
  local now = place.carry(range, version, self.changes)
  if view.fits(self.buf, now, hunk.old_text) then
    self:draw_at(hunk, now)
  end
end

--- The doubts once the edit has finished.
---@param doubts { reason: string, hunkIds: integer[] }[]
function Session:settle_doubts(doubts)
  for id, hunk in pairs(self.hunks) do
    local reasons = {}
    for _, doubt in ipairs(doubts or {}) do
      if vim.list_contains(doubt.hunkIds, id) then
        table.insert(reasons, doubt.reason)
      end
    end
    local now = #reasons > 0 and table.concat(reasons, '; ') or nil
    if now ~= hunk.doubt then
      hunk.doubt = now
      self:draw(hunk)
    end
  end
end

--- What is wrong with the waiting hunks, each reason once; nil if nothing is.
---@return string?
function Session:reasons()
  local list, seen = {}, {}
  for _, hunk in ipairs(self:visible()) do
    local doubt = self.hunks[hunk.id].doubt
    if doubt and not seen[doubt] then
      seen[doubt] = true
      table.insert(list, doubt)
    end
  end
  return list[1] and table.concat(list, '; ')
end

--- The hunks without a doubt.
---@return integer[]
function Session:certain()
  return vim.tbl_filter(function(id) return self.hunks[id].doubt == nil end, vim.tbl_keys(self.hunks))
end

---@param id integer
function Session:remove(id)
  local hunk = self.hunks[id]
  if hunk then
    view.erase(self.buf, hunk.marks)
    self.hunks[id] = nil
  end
end

--- Redraws the remaining hunks after a change by the client itself (an accepted hunk), because virtual lines may have
--- lost their line.
function Session:redraw()
  for _, hunk in pairs(self.hunks) do
    self:draw(hunk)
  end
end

--- The server has finished the edit: which retry is possible. A cancelled retry can be requested again.
---@param event table
function Session:settle_tries(event)
  local n = self.target.another or 0
  if event.state == 'done' then
    self.next_try = event.otherTries and not self.target.change and n + 1 or nil -- redraft.apply takes none
  elseif event.state == 'cancelled' then
    self.next_try = n > 0 and n or nil
  end
  if self.next_try then
    self:redraw()
  end
end

---@return boolean whether the buffer is as it was when the edit was requested
function Session:has_its_text()
  return self.text == text_of(self.buf)
end

--- The hunks on the screen with their current ranges, from top to bottom.
---@return { id: integer, range: redraft.Range }[]
function Session:visible()
  local found = {}
  for id, hunk in pairs(self.hunks) do
    local range = hunk.marks and view.range(self.buf, hunk.marks)
    if range then
      table.insert(found, { id = id, range = range })
    end
  end
  table.sort(found, function(a, b)
    return a.id < b.id
  end)
  return found
end

--- The hunk to which line `row` belongs. An insertion belongs to the lines on both sides of it.
---@param row integer 0-based
---@return integer? id
---@return boolean? is_beside the line is not part of the hunk, but next to its insertion
function Session:hunk_at(row)
  local beside
  for _, hunk in ipairs(self:visible()) do
    local first, last = hunk.range[1], hunk.range[3]
    local is_insertion = first == last and hunk.range[2] == hunk.range[4]
    if hunk.range[4] == 0 and last > first then
      last = last - 1
    end
    if row >= first and row <= last then
      return hunk.id
    elseif is_insertion and row == first - 1 then
      beside = hunk.id
    end
  end
  return beside, beside ~= nil
end

function Session:count()
  return vim.tbl_count(self.hunks)
end

--- The first row with a hunk if no window shows any of them.
---@return integer?
function Session:out_of_sight()
  local rows = {}
  for _, hunk in pairs(self.hunks) do
    local range = hunk.marks and view.range(self.buf, hunk.marks)
    table.insert(rows, range and range[1])
  end
  for _, window in ipairs(vim.fn.win_findbuf(self.buf)) do
    local top, bottom = vim.fn.line('w0', window) - 1, vim.fn.line('w$', window) - 1
    if vim.iter(rows):any(function(row) return row >= top and row <= bottom end) then
      return nil
    end
  end
  return vim.iter(rows):fold(nil, function(first, row) return math.min(first or row, row) end)
end

return Session
