-- A small edit by real weights: the buffer gets what the command line makes of the same file.
local model = 'qwen2.5-coder-0.5b'
local patience = 600000 -- milliseconds; a small machine takes ten seconds
local before = [[
def area(width, height):
    return width * height


def perimeter(width, height):
    return 2 * (width + height)
]]
local instruction = 'Rename the parameter width to w in both functions.'

--- The program with its models, which the editor's own environment would hide.
local function redraft(...)
  local executable = os.getenv('REDRAFT') or ''
  if vim.fn.executable(executable) == 0 then
    error({ skip = 'REDRAFT must name the program' })
  end
  local data = os.getenv('XDG_DATA_HOME') or (os.getenv('HOME') .. '/.local/share')
  if vim.fn.glob(data .. '/redraft/models/' .. model .. '*') == '' then
    error({ skip = model .. ' is not installed; `redraft models pull ' .. model .. '` does it' })
  end
  return { 'env', 'XDG_DATA_HOME=' .. data, executable, ... }
end

local function a_real_edit(start)
  local nvim = start({ server = redraft('lsp', '--no-kv-cache', '--target', model) })
  nvim:open('shapes.py', before)
  local command = redraft('edit', nvim.path, '--instruction', instruction, '--target', model, '--format', 'text')
  local edited = vim.system(command, { text = true }):wait(patience)
  assert(edited.code == 0, edited.stderr)
  assert(edited.stdout ~= before, 'the model changes something')
  nvim:keys(':%RedraftEdit ' .. instruction .. '<CR>')
  nvim:wait(function()
    local edit = nvim:edit()
    return edit and edit.state == 'done' and #edit.hunks > 0
  end, 'the end of the edit', patience)
  assert(nvim:status():find('%d+ tokens/s$'), nvim:status())
  nvim:keys(':RedraftAccept!<CR>')
  nvim:wait_for_lines(vim.split(vim.trim(edited.stdout), '\n'))
  nvim:keys('u')
  nvim:wait_for_lines(vim.split(vim.trim(before), '\n'))
end

return { { 'an edit by the 0.5B model', a_real_edit } }
