-- Starts a server that crashed again, for the files that it had: at first soon, after each further crash later, and not
-- after several within a short time. A document that crashes it is left alone by the server itself after the second time.
local M = {}

M.first_delay = 1000 -- milliseconds; doubled with every crash that follows
local most = 5 -- crashes within this time, after which it is not started again:
local within = 180000 -- milliseconds

---@class redraft.Served
---@field config vim.lsp.ClientConfig
---@field buffers table<integer, true>

local served = {} ---@type table<integer, redraft.Served> by client
local crashes = {} ---@type table<string, integer[]> by root folder: when, in milliseconds

local function remember(client, buf)
  served[client.id] = served[client.id] or { config = client.config, buffers = {} }
  served[client.id].buffers[buf] = true
end

local function is_served(buf)
  return #vim.lsp.get_clients({ name = 'redraft', bufnr = buf }) > 0
end

local function start(files)
  for buf in pairs(files.buffers) do
    if vim.api.nvim_buf_is_loaded(buf) and not is_served(buf) then
      vim.lsp.start(files.config, { bufnr = buf })
    end
  end
end

--- How many crashes there were lately, with the one now.
local function count_crash(root)
  local now = vim.uv.now()
  local recent = vim.tbl_filter(function(time) return now - time < within end, crashes[root] or {})
  table.insert(recent, now)
  crashes[root] = recent
  return #recent
end

--- After the client's end.
---@param client_id integer
---@param has_crashed boolean
---@return string? what is done about it, in words; nil: nothing
function M.after_end(client_id, has_crashed)
  local files = served[client_id]
  served[client_id] = nil
  if not files or not has_crashed or vim.v.exiting ~= vim.NIL then -- a server that never served anything would not now
    return nil
  end
  local n = count_crash(files.config.root_dir or '')
  if n >= most then
    return ('it crashed %d times within %d minutes and is not started again'):format(n, within / 60000)
  end
  vim.defer_fn(function() start(files) end, M.first_delay * 2 ^ (n - 1))
  return 'it is started again'
end

vim.api.nvim_create_autocmd('LspAttach', {
  group = vim.api.nvim_create_augroup('redraft.restart', {}),
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'redraft' then
      remember(client, event.buf)
    end
  end,
})

return M
