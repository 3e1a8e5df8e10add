-- Neovim's part of tests/lsp/model_soak_test.py, which shares its server: types, asks for edits and takes them back, for
-- as long as it is told. What is checked is that every edit ends, and that the buffer is what undoing leaves.
local seconds = tonumber(os.getenv('REDRAFT_SOAK_SECONDS') or '')

local function edit_for_a_while(start)
  if not seconds then
    error({ skip = 'only within model_soak_test.py' })
  end
  -- The folders of the server that it shares, which Neovim's own would hide.
  local server = { 'env' }
  vim.list_extend(server, vim.split(os.getenv('REDRAFT_SOAK_FOLDERS') or '', '\n'))
  vim.list_extend(server, { os.getenv('REDRAFT'), 'lsp' })
  vim.list_extend(server, vim.split(os.getenv('REDRAFT_SOAK_OPTIONS') or '', '\n'))
  local nvim = start({ server = server })
  local lines = {}
  for i = 1, 20 do
    vim.list_extend(lines, { ('def area_%d(width, height):'):format(i), ('    return width * height + %d'):format(i), '' })
  end
  nvim:open('soak.py', table.concat(lines, '\n') .. '\n')
  local deadline = vim.uv.now() + seconds * 1000
  local edits = 0
  while vim.uv.now() < deadline do
    nvim:keys(('<Esc>%dGOvalue = <Esc>'):format(1 + (edits * 7) % #lines))
    nvim:keys('u')
    nvim:wait_for_lines(lines)
    local ok = pcall(nvim.command, nvim, ('%d,%dRedraftEdit use w'):format(1 + edits % 50, 2 + edits % 50))
    if ok then
      nvim:wait(function()
        local edit = nvim:edit()
        return not edit or edit.state ~= 'running'
      end, 'the end of edit ' .. edits)
      pcall(nvim.command, nvim, 'RedraftReject!')
    end
    nvim:wait_for_lines(lines)
    edits = edits + 1
    vim.uv.update_time()
  end
  assert(edits > 0)
end

return { { 'edits for as long as the soak takes', edit_for_a_while } }
