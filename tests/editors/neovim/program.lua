-- A program in place of `redraft`: the scripted server as `redraft lsp`; `models` and `doctor` answer as told.
local scripted = require('scripted')

local Program = {}
Program.__index = Program

local source = [[
#!/bin/sh
here=$(dirname "$0")
tell() { echo "{\"model\":\"middle\",\"bytes\":$1,\"total\":1000000000,\"phase\":\"$2\"}"; }
case "$1 $2" in
"models list") cat "$here/models" ;;
"models pull")
  echo "$*" >>"$here/calls"
  trap 'echo cancelled >>"$here/calls"; exit 130' TERM
  tell 250000000 downloading
  while [ -e "$here/hold" ]; do sleep 0.02; done
  [ -e "$here/fails" ] && { echo "redraft: error: the line is down" >&2; exit 1; }
  tell 500000000 checking
  while [ -e "$here/hold_again" ]; do sleep 0.02; done
  tell 1000000000 done ;;
"doctor --quick") echo "all is well here" ;;
"lsp ") exec @SERVER@ ;; # without edits it answers nothing
*) echo "unknown: $*" >&2; exit 2 ;;
esac
]]

--- `edits`: what its server writes; nil: there is none.
---@param edits table[]?
function Program.new(edits)
  local self = setmetatable({ folder = vim.fn.tempname() }, Program)
  vim.fn.mkdir(self.folder, 'p')
  self.path = self.folder .. '/redraft'
  local server = edits and table.concat(vim.tbl_map(vim.fn.shellescape, scripted.start({ edits = edits })), ' ') or "sh -c 'cat >/dev/null'"
  self:write('redraft', (source:gsub('@SERVER@', function() return server end)))
  vim.fn.setfperm(self.path, 'rwxr-xr-x')
  self:has_model(false)
  return self
end

function Program:write(name, text)
  local file = assert(io.open(self.folder .. '/' .. name, 'wb'))
  file:write(text)
  file:close()
end

function Program:remove(name)
  vim.fn.delete(self.folder .. '/' .. name)
end

--- Whether the model that its server writes with is there.
function Program:has_model(present)
  local function model(name, is_here)
    return { name = name, present = is_here, bytes = 1000000000, licence = 'Apache-2.0', file = '/models/' .. name .. '.gguf' }
  end
  self:write('models', vim.json.encode({ model('middle', present), model('small', true) }))
end

--- What it was asked to fetch, and whether it was told to stop.
function Program:calls()
  local file = io.open(self.folder .. '/calls')
  local lines = file and vim.split(vim.trim(file:read('a')), '\n') or {}
  return lines
end

--- The environment of an editor that the desktop starts: only the login shell has the program's folder in its PATH. It runs
--- `more` first.
---@param more string?
function Program:desktop(more)
  self:write('shell', ('#!/bin/sh\necho a greeting\necho "$@"\n%s\nPATH=%s:$PATH\nwhile [ $# -gt 1 ]; do shift; done\nexec sh -c "$1"\n'):format(
    more or '', self.folder))
  vim.fn.setfperm(self.folder .. '/shell', 'rwxr-xr-x')
  return { PATH = '/usr/bin:/bin', SHELL = self.folder .. '/shell' }
end

return Program
