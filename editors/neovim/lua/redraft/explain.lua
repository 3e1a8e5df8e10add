-- A window that shows what the server is doing, what is off and why, and why there was no suggestion.
local float = require('redraft.float')
local say = require('redraft.say')

local M = {}

local function given(value)
  return value ~= vim.NIL and value or nil
end

local function lines_of(status)
  local target = given(status.target) and ': ' .. status.target or ''
  local device = given(status.device) or ''
  local where = device == 'cuda' and ', on the GPU' or device:match('^http') and ', at ' .. device or ''
  local lines = { ('model %s%s%s'):format(status.state, target, where) }
  local decoder = status.decoder
  if decoder then
    local drafted = given(status.draft)
      and (', %d of %d tokens from the draft model'):format(decoder.statistics.fromDraftModel, decoder.statistics.tokens) or ''
    table.insert(lines, ('decoder %s%s'):format(decoder.name, drafted))
  end
  vim.list_extend(lines, status.reasons or {})
  local why = status.completion and given(status.completion.whyNone)
  if why then
    table.insert(lines, 'The last suggestion: ' .. why .. '.')
  end
  local none = status.nextEdit and given(status.nextEdit.whyNone)
  if none then
    table.insert(lines, 'The last search for a next edit: ' .. none .. '.')
  end
  if say.last then
    table.insert(lines, 'The last message: ' .. (say.last:gsub('^redraft: ', '')))
  end
  return lines
end

--- Opens the window.
function M.open()
  local lsp = vim.lsp.get_clients({ name = 'redraft', bufnr = 0 })[1]
  if not lsp then
    return say.say('no server is running for this buffer. See :checkhealth redraft')
  end
  lsp:request('redraft/status', vim.empty_dict(), function(err, status)
    if err then
      return say.fail(err.message)
    end
    float.open('redraft', lines_of(status), 'q closes')
  end)
end

return M
