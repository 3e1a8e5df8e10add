-- Downloads a model: first shows its size and licence, then the progress, in a window that may be closed meanwhile.
local float = require('redraft.float')
local models = require('redraft.models')
local say = require('redraft.say')

local M = {}

local bar_width = 40
local doing = { downloading = 'downloaded', checking = 'checked' }

---@class redraft.Pull
---@field model redraft.Model
---@field state 'offered'|'running'|'done'|'cancelled'|'failed'
---@field news { bytes: integer, total: integer, phase: string }? the program's last progress report
---@field problem string
---@field process vim.SystemObj?
---@field window redraft.Float?
local current ---@type redraft.Pull? the newest

local function bar(fraction)
  local filled = math.floor(fraction * bar_width)
  return ('█'):rep(filled) .. ('░'):rep(bar_width - filled)
end

local function percent(news)
  return math.floor(100 * news.bytes / math.max(news.total, 1))
end

local function progress(news)
  if not (news and doing[news.phase]) then
    return { 'starting', '' }
  end
  local text = ('%s of %s %s, %d %%'):format(models.size(news.bytes), models.size(news.total), doing[news.phase], percent(news))
  return { text, bar(news.bytes / math.max(news.total, 1)) }
end

local function lines_of(pull)
  local model = pull.model
  local lines = { ('%s: %s, licence %s'):format(model.name, models.size(model.bytes), model.licence) }
  local function add(...)
    vim.list_extend(lines, { ... })
  end
  if pull.state == 'offered' then
    add('into ' .. model.file, '', '<CR> downloads it   q closes this window')
  elseif pull.state == 'running' then
    add(unpack(progress(pull.news)))
    add('', 'c cancels   q closes this window, the download continues')
  elseif pull.state == 'done' then
    add('It is downloaded. The next edit loads it.', '', 'q closes this window')
  elseif pull.state == 'cancelled' then
    add('cancelled', '', '<CR> continues   q closes this window')
  else
    vim.list_extend(lines, vim.split(pull.problem, '\n'))
    add('', '<CR> tries again   q closes this window')
  end
  return lines
end

local function show(pull)
  if pull.window and pull.window:is_open() then
    pull.window:set(lines_of(pull))
  end
  vim.api.nvim_exec_autocmds('User', { pattern = 'RedraftStatus', modeline = false })
end

local function on_exit(pull, code)
  pull.process = nil
  if code == 0 then
    pull.state = 'done'  -- the download may have finished before the cancellation
  elseif pull.state == 'running' then
    pull.state = 'failed'
  end
  show(pull)
  if pull.window and pull.window:is_open() then
    return
  elseif pull.state == 'done' then
    say.say(pull.model.name .. ' is downloaded. The next edit loads it')
  elseif pull.state == 'failed' then
    say.fail(('cannot download %s: %s'):format(pull.model.name, pull.problem))
  end
end

--- Calls `on_line` with each line of a stream that arrives in pieces.
local function by_line(on_line)
  local rest = ''
  return function(_, piece)
    rest = rest .. (piece or (rest ~= '' and '\n' or ''))  -- the last line may lack its end
    while true do
      local line, after = rest:match('^(.-)\r?\n(.*)$')
      if not line then
        return
      end
      rest = after
      on_line(line)
    end
  end
end

local function receive(pull, line)
  local read, news = pcall(vim.json.decode, line)
  if read and type(news) == 'table' and news.phase then
    pull.news = news
    show(pull)
  end
end

local function run(pull)
  local command, why = models.command('models', 'pull', pull.model.name, '--format', 'json')
  pull.state, pull.news, pull.problem = 'running', nil, why or 'the program gave no reason'
  local problems = {}
  local ran, process = pcall(vim.system, command or {}, {
    stdout = by_line(vim.schedule_wrap(function(line) receive(pull, line) end)),
    stderr = by_line(vim.schedule_wrap(function(line)
      table.insert(problems, line)
      pull.problem = table.concat(problems, '\n', math.max(#problems - 4, 1))  -- the last lines contain the error
    end)),
  }, vim.schedule_wrap(function(result) on_exit(pull, result.code) end))
  if ran then
    pull.process = process
    show(pull)
  else
    pull.problem = why or tostring(process)
    on_exit(pull, 1)
  end
end

local function cancel(pull)
  if pull.process then
    pull.state = 'cancelled'
    pull.process:kill('sigterm')
    show(pull)
  end
end

local function open(pull)
  current = pull
  pull.window = float.open('redraft: a model', lines_of(pull))
  pull.window:map('<CR>', function()
    if pull.state ~= 'done' and not pull.process then
      run(pull)
    end
  end)
  pull.window:map('c', function() cancel(pull) end)
end

--- Offers to download a model, by default the one that the server uses; shows the progress if a download is running.
---@param name string?
function M.open(name)
  if current and current.process then
    if not current.window:is_open() then
      open(current)
    end
    return
  end
  local known, why = models.list()
  if not known then
    return say.fail(why)
  end
  local model
  if name and name ~= '' then
    model = models.named(known, name)
  else
    model = models.target(known)
  end
  if not model then
    local names = vim.iter(known):map(function(each) return each.name end):join(', ')
    return say.fail(('unknown model "%s". Known models: %s'):format(name or require('redraft.config').values.target, names))
  elseif model.present then
    return say.say(model.name .. ' is already downloaded')
  end
  open({ model = model, state = 'offered', problem = '' })
end

--- For the command line: the names that start with `start`.
---@param start string
---@return string[]
function M.complete(start)
  return vim.iter(models.list() or {}):map(function(model) return model.name end)
    :filter(function(each) return vim.startswith(each, start) end):totable()
end

--- For a statusline: the download's progress; empty without a download.
---@return string
function M.status()
  if not (current and current.process) then
    return ''
  end
  return current.news and ('downloading the model, %d %%'):format(percent(current.news)) or 'downloading the model'
end

vim.api.nvim_create_autocmd('VimLeavePre', {
  group = vim.api.nvim_create_augroup('redraft.pull', {}),
  callback = function()
    if current and current.process then
      current.process:kill('sigterm')
    end
  end,
})

return M
