-- Tells the server a buffer's language anew when its filetype changes. A server learns the language only when a document
-- is opened, and a buffer without a name is opened before the user sets its filetype.
local M = {}

local told = {} ---@type table<integer, string> by buffer: the filetype of the open document

local function opened(event)
  local client = vim.lsp.get_client_by_id(event.data.client_id)
  if client and client.name == 'redraft' then
    told[event.buf] = vim.bo[event.buf].filetype
  end
end

local function reopen(event)
  if not told[event.buf] or told[event.buf] == event.match then
    return
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = 'redraft', bufnr = event.buf })) do
    vim.lsp.buf_detach_client(event.buf, client.id) -- closes the document
    vim.lsp.buf_attach_client(event.buf, client.id)
  end
end

function M.follow()
  local group = vim.api.nvim_create_augroup('redraft.language', {})
  vim.api.nvim_create_autocmd('LspAttach', { group = group, callback = opened })
  vim.api.nvim_create_autocmd('FileType', { group = group, callback = reopen })
  vim.api.nvim_create_autocmd('BufDelete', { group = group, callback = function(event) told[event.buf] = nil end })
end

return M
