-- Restarts a crashed server for its open files: soon after the first crash, later after each further one, and not at
-- all after several within a short time. The server itself avoids a document after its second crash.
local M = {}

M.first_delay = 1000  -- milliseconds; doubled with every further crash
local max_crashes = 5 -- within this time; then the server is not restarted
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

--- The number of recent crashes, including this one.
local function count_crash(root)
  local now = vim.uv.now()
  local recent = vim.tbl_filter(function(time) return now - time < within end, crashes[root] or {})
  table.insert(recent, now)
  crashes[root] = recent
  return #recent
end

--- Call this after the client's end.
---@param client_id integer
---@param has_crashed boolean
---@return string? what is done about it, in words; nil: nothing
function M.after_end(client_id, has_crashed)
  local files = served[client_id]
  served[client_id] = nil
  if not files or not has_crashed or vim.v.exiting ~= vim.NIL then  -- a server that never served anything would fail
                                                                    -- again
    return nil
  end
  local n = count_crash(files.config.root_dir or '')
  if n >= max_crashes then
    return ('it crashed %d times within %d minutes and is not restarted'):format(n, within / 60000)
  end
  vim.defer_fn(function() start(files) end, M.first_delay * 2 ^ (n - 1))
  return 'it is being restarted'
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
