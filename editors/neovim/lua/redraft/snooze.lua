-- Snoozes automatic suggestions: ghost text and next edits.
local say = require('redraft.say')

local M = {}

M.choices = { 'file', 'language', 'restart' }

local function run(command, arguments, on_done)
  local client = vim.lsp.get_clients({ name = 'redraft', bufnr = 0 })[1]
  if not client then
    return say.say('no server is running for this buffer. See :checkhealth redraft')
  end
  client:request('workspace/executeCommand', { command = command, arguments = arguments }, function(err)
    if err then
      return say.fail(err.message)
    end
    require('redraft.ghost').clear()
    on_done()
  end)
end

local function wish_of(what)
  if what == 'file' then
    return { uri = vim.uri_from_bufnr(0) }, 'in this file, until :RedraftResume'
  elseif what == 'language' then
    local client = vim.lsp.get_clients({ name = 'redraft', bufnr = 0 })[1]
    local language = client and client.get_language_id(0, vim.bo.filetype) or vim.bo.filetype
    return { language = language }, ('for %s, until :RedraftResume'):format(language)
  elseif what == 'restart' then
    return { ['until'] = 'restart' }, 'until the server is restarted, or :RedraftResume'
  end
  local minutes = what == '' and 10 or tonumber(what)
  return minutes and { minutes = minutes }, ('for %s minutes'):format(minutes)
end

--- Snoozes automatic suggestions: for so many minutes, in this `file`, in this `language`, or until a `restart`.
---@param what string empty: ten minutes
function M.snooze(what)
  local wish, says = wish_of(what)
  if not wish then
    return say.say(':RedraftSnooze takes a number of minutes, file, language or restart')
  end
  run('redraft.snoozeSuggestions', { wish }, function()
    say.say('no suggestions ' .. says)
  end)
end

--- Resumes suggestions.
function M.resume()
  run('redraft.resumeSuggestions', {}, function()
    say.say('suggestions are on again')
  end)
end

return M
