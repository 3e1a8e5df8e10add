-- Tells the server where the user jumped, so that it reads the prompt of a completion there before insert mode begins.
local M = {}

local client_name = 'redraft'
local delay = 300  -- milliseconds that the cursor must rest
local far_lines = 20  -- places nearer than this have mostly the same prompt, which the server has read
local timer ---@type uv.uv_timer_t?
local last ---@type { buf: integer, row: integer }? known to the server

local function tell()
  local buf = vim.api.nvim_get_current_buf()
  local row, col = unpack(vim.api.nvim_win_get_cursor(0))
  local is_near = last and last.buf == buf and math.abs(last.row - row) < far_lines
  if is_near or vim.api.nvim_get_mode().mode ~= 'n' or not vim.bo[buf].modifiable then
    return
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = client_name, bufnr = buf })) do
    if vim.tbl_get(client.server_capabilities, 'experimental', 'redraft', 'expectCompletion') then
      last = { buf = buf, row = row }
      local character = vim.str_utfindex(vim.api.nvim_get_current_line(), client.offset_encoding, col, false)
      client:notify('redraft/expectCompletion', {
        textDocument = { uri = vim.uri_from_bufnr(buf) },
        position = { line = row - 1, character = character },
      })
    end
  end
end

--- Watches the cursor in every buffer.
function M.enable()
  local group = vim.api.nvim_create_augroup('redraft.jumps', {})
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'BufEnter', 'LspAttach' }, {
    group = group,
    callback = function()
      timer = timer or assert(vim.uv.new_timer())
      timer:start(delay, 0, vim.schedule_wrap(tell))
    end,
  })
  vim.api.nvim_create_autocmd({ 'InsertEnter', 'InsertLeave' }, {  -- completions are requested in between
    group = group,
    callback = function(event)
      last = { buf = event.buf, row = vim.api.nvim_win_get_cursor(0)[1] }
    end,
  })
end

function M.disable()
  vim.api.nvim_create_augroup('redraft.jumps', {})
  if timer then
    timer:stop()
  end
end

return M
