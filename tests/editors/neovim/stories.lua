-- nvim --clean -l stories.lua PROGRAM PLAN.json: plays the stories of the plan that ../stories.py wrote, in the Neovim
-- PROGRAM, each run in an editor of its own. Prints what took how long, as a line of JSON for each run.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
package.path = here .. '/?.lua;' .. package.path
local Editor = require('editor')
local picture = require('picture')

local function read(name)
  local file = assert(io.open(name, 'rb'))
  local text = file:read('a')
  file:close()
  return text
end

local program, plan = arg[1], vim.json.decode(read(arg[2]))

local function now()
  return vim.uv.hrtime() / 1e9
end

--- What a story may wait for: whether it is there, given the text of the step.
local waits = {}

function waits.model(nvim)
  return nvim:lua([[local client = vim.lsp.get_clients({ name = 'redraft', bufnr = 0 })[1]
    return client:request_sync('redraft/status', vim.empty_dict(), 10000).result.state]]) == 'ready'
end

function waits.region(nvim, text)
  return vim.startswith(nvim:lua([[return require('redraft.announce').status(vim.api.nvim_get_current_buf())]]), text)
end

function waits.hunk(nvim)
  local edit = nvim:edit()
  return edit and #edit.hunks > 0
end

waits['end'] = function(nvim)
  local edit = nvim:edit()
  assert(not edit or edit.state == 'running' or #edit.hunks > 0, 'the edit has no changes')
  return edit and edit.state ~= 'running'
end

function waits.proposal(nvim)
  return nvim:lua([[return require('redraft.next_edit').is_visible()]])
end

function waits.cursor(nvim, text)
  return nvim:call('win_get_cursor', 0)[1] == tonumber(text)
end

function waits.text(nvim, text)
  return table.concat(nvim:lines(), '\n'):find(text, 1, true)
end

--- What a step does in `run`: { nvim, story, began, pressed, measured, takes_pictures }.
local steps = {}

function steps.press(run, key)
  run.pressed = now()
  run.nvim:keys(key)
end

function steps.type(run, text)
  for key in text:gmatch('.') do
    vim.uv.sleep(plan.typing)
    run.pressed = now()
    run.nvim:keys(key == '<' and '<lt>' or key)
  end
end

function steps.wait(run, what, step)
  run.nvim:wait(function() return waits[what](run.nvim, step.text) end, what .. ' ' .. (step.text or ''))
  if what == 'hunk' or what == 'end' or what == 'proposal' then
    run.measured[what] = now() - run.pressed
  end
  if what == 'hunk' then
    run.measured.start = now() - run.began
  end
end

function steps.picture(run, name)
  if run.takes_pictures then
    picture.take(run.nvim, ('%s/neovim-%s.svg'):format(plan.images, name))
  end
end

local function play(run)
  for _, step in ipairs(run.story.steps) do
    for kind, act in pairs(steps) do
      if step[kind] then
        act(run, step[kind], step)
      end
    end
  end
end

local function open(story)
  local nvim = Editor.start({
    program = program, server = { plan.server, 'lsp' }, width = story.columns, height = story.rows + 2,
    setup = { keymaps = true, cacheOnDisk = false },
  })
  nvim:command('set termguicolors noshowcmd noruler noshowmode laststatus=2 number signcolumn=no')
  nvim:command([[let &statusline = " %t %m%=%{v:lua.require'redraft'.status()} "]])
  nvim:open(vim.fs.basename(story.source), read(story.source))
  nvim:call('win_set_cursor', 0, { story.line, story.column - 1 })
  nvim:lua([[vim.fn.winrestview({ topline = ... })]], story.line - story.above)
  picture.prepare(nvim)
  return nvim
end

for _, story in ipairs(plan.stories) do
  for i = 1, story.runs do
    local run = { story = story, began = now(), measured = { story = story.name }, takes_pictures = i == story.runs }
    run.nvim = open(story)
    local ok, problem = xpcall(play, debug.traceback, run)
    if not ok then
      error(('%s: %s\n%s\n%s'):format(story.name, problem, table.concat(run.nvim:screen(), '\n'), run.nvim:messages()), 0)
    end
    run.nvim:stop()
    io.write(vim.json.encode(run.measured), '\n')
    io.flush()
  end
end
