-- The default keys, and the user's actual keys, which are the only ones that hints name.
local M = {}

local defaults = {
  { { 'n', 'x' }, '<leader>re', '<Plug>(redraft-edit)', 'Edit with redraft' },
  { 'n', '<leader>rf', '<Plug>(redraft-file)', 'Edit the places in the file that an instruction is about' },
  { 'n', '<leader>rm', '<Plug>(redraft-more)', 'Edit further places' },
  { 'n', '<leader>rp', '<Plug>(redraft-apply)', 'Insert the copied code where it belongs' },
  { 'n', '<leader>ra', '<Plug>(redraft-accept)', 'Accept the change under the cursor' },
  { 'n', '<leader>rr', '<Plug>(redraft-reject)', 'Reject the change under the cursor' },
  { 'n', '<leader>rA', '<Plug>(redraft-accept-all)', 'Accept all changes' },
  { 'n', '<leader>rR', '<Plug>(redraft-reject-all)', 'Reject all changes' },
  { 'n', '<leader>rt', '<Plug>(redraft-another)', 'Request another try of the edit' },
  { 'n', '<leader>rc', '<Plug>(redraft-cancel)', 'Cancel the edit' },
  { 'n', ']r', '<Plug>(redraft-next)', 'Next change' },
  { 'n', '[r', '<Plug>(redraft-previous)', 'Previous change' },
  { 'n', '<Tab>', '<Plug>(redraft-next-edit)', 'Go to the proposed change, then make it' },
  { 'n', '<leader>rd', '<Plug>(redraft-next-edit-dismiss)', 'Reject the proposed change' },
  { 'i', '<Tab>', '<Plug>(redraft-ghost-accept)', 'Accept the suggestion, or indent' },
  { 'i', '<M-Right>', '<Plug>(redraft-ghost-word)', 'Accept a word of the suggestion' },
  { 'i', '<M-Down>', '<Plug>(redraft-ghost-line)', 'Accept a line of the suggestion' },
  { 'i', '<M-]>', '<Plug>(redraft-ghost-next)', 'Next suggestion' },
  { 'i', '<M-[>', '<Plug>(redraft-ghost-previous)', 'Previous suggestion' },
  { 'i', '<C-]>', '<Plug>(redraft-ghost-dismiss)', 'Dismiss the suggestion' },
}

--- Without a suggestion the key keeps its meaning: Neovim itself maps <Tab>, to jump in snippets. Other plugins'
--- mappings are left alone.
local function map_in_insert_mode(key)
  local earlier = vim.fn.maparg(key[2], 'i', false, true)
  if vim.tbl_isempty(earlier) then
    return vim.keymap.set('i', key[2], key[3], { desc = key[4] })
  elseif not (earlier.callback and earlier.expr == 1) or earlier.desc == key[4] then
    return
  end
  local ours = vim.api.nvim_replace_termcodes(key[3], true, true, true)
  vim.keymap.set('i', key[2], function()
    if require('redraft.ghost').is_visible() then
      return ours
    end
    local keys = earlier.callback() or ''
    return earlier.replace_keycodes == 1 and vim.api.nvim_replace_termcodes(keys, true, true, true) or keys
  end, { expr = true, remap = true, replace_keycodes = false, desc = key[4] })
end

--- Maps the keys of :help redraft-keys.
function M.map_defaults()
  for _, key in ipairs(defaults) do
    if key[1] == 'i' then
      map_in_insert_mode(key)
    else
      vim.keymap.set(key[1], key[2], key[3], { desc = key[4] })
    end
  end
end

--- The shortest key that `is_wanted` maps to; a buffer mapping hides a global one of the same key.
local function key_in(buf, is_wanted)
  local hidden, found = {}, nil
  for _, maps in ipairs({ vim.api.nvim_buf_get_keymap(buf, 'n'), vim.api.nvim_get_keymap('n') }) do
    for _, map in ipairs(maps) do
      if is_wanted(map) and not hidden[map.lhs] and not vim.startswith(map.lhs, '<Plug>') then
        local key = vim.fn.keytrans(map.lhsraw)
        found = (not found or #key < #found) and key or found
      end
    end
    for _, map in ipairs(maps) do
      hidden[map.lhs] = true
    end
  end
  return found
end

local commands = {
  ['accept'] = 'RedraftAccept', ['reject'] = 'RedraftReject', ['accept-all'] = 'RedraftAccept!',
  ['reject-all'] = 'RedraftReject!', ['another'] = 'RedraftAnother', ['cancel'] = 'RedraftCancel',
  ['next-edit'] = 'RedraftNextEdit',
}

--- How the user does something in normal mode: the key that is mapped to <Plug>(redraft-NAME) or its command, otherwise
--- the command.
---@param buf integer
---@param name string
---@return string? key nil if there is none, and no command
---@return boolean is_key
function M.of(buf, name)
  local plug = ('<Plug>(redraft-%s)'):format(name)
  local command = commands[name]
  local key = key_in(buf, function(map)
    local rhs = map.rhs or ''
    return rhs == plug or command and (rhs == '<Cmd>' .. command .. '<CR>' or rhs == ':' .. command .. '<CR>')
  end)
  return key or command and ':' .. command, key ~= nil
end

local function hint(buf, name, what)
  local key, is_key = M.of(buf, name)
  return is_key and ('%s %s'):format(key, what) or key
end

--- The hint beside a change: how to decide on it.
---@param buf integer
---@param has_other_tries boolean
---@return string[]
function M.decision_hint(buf, has_other_tries)
  return {
    hint(buf, 'accept', 'accept'), hint(buf, 'reject', 'reject'), M.of(buf, 'accept-all') .. ' all',
    has_other_tries and hint(buf, 'another', 'another try') or nil,
  }
end

--- The hint beside a proposed change: how to make or reject it.
---@param buf integer
---@return string[]
function M.proposal_hint(buf)
  return { hint(buf, 'next-edit', 'go there, make it'), hint(buf, 'next-edit-dismiss', 'not') }
end

return M
