-- Messages about how an edit ended.
local config = require('redraft.config')
local keys = require('redraft.keys')
local places = require('redraft.places')
local say = require('redraft.say')

local M = {}

local brief = { brief = true }  -- the rest is beside the changes, or in the statusline

local function given(value)
  return value ~= vim.NIL and value or nil
end

--- "3 of 41 places (:RedraftMore offers 38 more): read, write"
local function places_of(session)
  local n_left = places.count(session.buf)
  local more = n_left > 0 and (' (:RedraftMore offers %d more)'):format(n_left) or ''
  return ('%s%s: %s'):format(session.places.count, more, session.places.names)
end

--- How to do what the server's hint suggests.
local function ways(session, hint)
  local list = {}
  local widen = config.values.region_keys.widen
  if session.next_try and hint:find('widen', 1, true) and widen and widen ~= '' then
    table.insert(list, widen .. ' at the prompt widens')
  end
  if session.next_try and hint:find('another try', 1, true) then
    table.insert(list, keys.of(session.buf, 'another') .. ' tries again')
  end
  return list[1] and (' (%s)'):format(table.concat(list, ', ')) or ''
end

--- The model changed nothing.
local function say_nothing(session, event)
  if event.placed then
    return say.say('nothing to change: the file already contains this code')
  end
  local hint = given(event.hint) or 'the model changed nothing'
  say.say(hint .. (session.places and '; it looked at ' .. places_of(session) or ways(session, hint)))
end

local function say_failed(session, event)
  local why = given(event.error)
  say.fail(session.target.another and 'no other try: ' .. (why or 'it failed') or why or 'the edit failed')
end

--- The user may be looking elsewhere.
local function say_where(session)
  local row = session:out_of_sight()
  if row then
    local key = keys.of(session.buf, 'next')
    local n = session:count()
    say.say(('%s in line %d%s'):format(n == 1 and '1 change' or ('%d changes, the first'):format(n), row + 1,
      key and (' (%s goes there)'):format(key) or ''))
  end
end

--- Handles the `end` of an edit.
---@param session redraft.Session
---@param event table
function M.say_end(session, event)
  if event.state == 'failed' then
    say_failed(session, event)
  elseif event.state == 'cancelled' then
    local why = given(event.error)
    say.say('edit cancelled' .. (why and ': ' .. why or ''))
  elseif event.finishReason == 'length' then
    say.warn('the edit reached its token limit and may be incomplete')
  elseif session:reasons() then
    say.say('check this edit: ' .. session:reasons(), vim.log.levels.WARN, brief)
  elseif session.places and (session:count() > 0 or session.resolved) then
    say.say('edited ' .. places_of(session), nil, brief)
  elseif #(event.tidied or {}) > 0 then
    say.say('corrected: ' .. table.concat(event.tidied, '; '))
  elseif session:count() == 0 and not session.resolved then
    say_nothing(session, event)
  else
    say_where(session)
  end
end

--- A newer edit may replace many hunks at once; this is reported once.
---@param session redraft.Session
---@param reason string
function M.say_dropped(session, reason)
  local said = session.dropped or {}
  session.dropped = said
  said[reason] = (said[reason] or 0) + 1
  if said[reason] > 1 then
    return
  end
  vim.schedule(function()
    local n = said[reason]
    said[reason] = nil
    say.warn(('%s dropped: %s'):format(n == 1 and 'a change was' or n .. ' changes were', reason))
  end)
end

--- The phase of a running edit, for the user.
---@param session redraft.Session
---@param model table? its state, as in $/redraft/status
---@param waits boolean for another edit to finish
---@return string
function M.phase(session, model, waits)
  local statistics, lines = session.statistics, session.passed
  if session.is_cancelled then
    return 'stopping'
  elseif model and model.state == 'loading' then
    return 'loading the model'
  elseif not statistics then
    return waits and 'waiting for its turn' or model and model.state == 'ready' and 'reading' or 'starting'
  elseif statistics.passes == 0 then
    local read = statistics.cachedPromptTokens + statistics.prefilledTokens
    return ('reading %d %%'):format(math.floor(100 * read / math.max(statistics.promptTokens, 1)))
  elseif lines == vim.NIL then
    return 'finding the places'
  elseif session.is_thinking then
    return 'thinking'
  end
  return lines and lines.of > 0 and ('writing, %d of %d lines'):format(lines.passed, lines.of) or 'writing'
end

return M
