if vim.g.loaded_redraft then
  return
end
vim.g.loaded_redraft = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('redraft needs Neovim 0.11 or later', vim.log.levels.ERROR)
  return
end

-- The modules are loaded when a command is first used.
local command = vim.api.nvim_create_user_command

command('RedraftEdit', function(args)
  local has_range = args.range > 0
  require('redraft').edit({
    instruction = args.args, first = has_range and args.line1 or nil, last = has_range and args.line2 or nil,
  })
end, { nargs = '*', range = true, desc = 'Edit the definition at the cursor, or the given lines: :RedraftEdit [instruction]' })

command('RedraftFile', function(args)
  require('redraft').edit_file({ instruction = args.args })
end, { nargs = '*', desc = 'Edit the places in the file that the instruction is about: :RedraftFile [instruction]' })

command('RedraftMore', function()
  require('redraft').more()
end, { desc = 'Choose further places for the last :RedraftFile' })

command('RedraftApply', function(args)
  require('redraft').apply({ register = args.fargs[1] })
end, { nargs = '?', desc = 'Insert the copied code where it belongs in the file: :RedraftApply [register]' })

command('RedraftAccept', function(args)
  require('redraft').accept({ all = args.bang })
end, { bang = true, desc = 'Accept the change under the cursor, with ! all' })

command('RedraftReject', function(args)
  require('redraft').reject({ all = args.bang })
end, { bang = true, desc = 'Reject the change under the cursor, with ! all' })

command('RedraftAnother', function()
  require('redraft').another()
end, { desc = 'Request another try of the edit under the cursor, or of the last one' })

command('RedraftCancel', function()
  require('redraft').cancel()
end, { desc = 'Cancel the running edit of this buffer' })

command('RedraftStatus', function()
  require('redraft').explain()
end, { desc = 'Show what redraft is doing, and why it suggests nothing' })

command('RedraftSnooze', function(args)
  require('redraft.snooze').snooze(args.args)
end, {
  nargs = '?', desc = 'Snooze automatic suggestions for ten minutes: :RedraftSnooze [minutes|file|language|restart]',
  complete = function(start)
    return vim.tbl_filter(function(choice) return vim.startswith(choice, start) end, require('redraft.snooze').choices)
  end,
})

command('RedraftResume', function()
  require('redraft.snooze').resume()
end, { desc = 'End :RedraftSnooze' })

command('RedraftReport', function()
  require('redraft.report').open()
end, { desc = 'Open the newest crash report of the server' })

command('RedraftPull', function(args)
  require('redraft').pull({ model = args.fargs[1] })
end, {
  nargs = '?', desc = 'Download a model: :RedraftPull [name]',
  complete = function(start) return require('redraft.pull').complete(start) end,
})

command('RedraftNextEdit', function()
  require('redraft.next_edit').go()
end, { desc = 'Go to the proposed change, then make it; search for one if there is none' })

local map = vim.keymap.set
map('n', '<Plug>(redraft-edit)', '<Cmd>RedraftEdit<CR>')
map('x', '<Plug>(redraft-edit)', ':RedraftEdit<CR>', { silent = true })
map('n', '<Plug>(redraft-file)', '<Cmd>RedraftFile<CR>')
map('n', '<Plug>(redraft-more)', '<Cmd>RedraftMore<CR>')
map('n', '<Plug>(redraft-apply)', '<Cmd>RedraftApply<CR>')
map('n', '<Plug>(redraft-accept)', '<Cmd>RedraftAccept<CR>')
map('n', '<Plug>(redraft-reject)', '<Cmd>RedraftReject<CR>')
map('n', '<Plug>(redraft-accept-all)', '<Cmd>RedraftAccept!<CR>')
map('n', '<Plug>(redraft-reject-all)', '<Cmd>RedraftReject!<CR>')
map('n', '<Plug>(redraft-another)', '<Cmd>RedraftAnother<CR>')
map('n', '<Plug>(redraft-cancel)', '<Cmd>RedraftCancel<CR>')
map('n', '<Plug>(redraft-next)', function() require('redraft').jump(1) end)
map('n', '<Plug>(redraft-previous)', function() require('redraft').jump(-1) end)

map('n', '<Plug>(redraft-next-edit)', function()
  return require('redraft.next_edit').is_visible() and '<Cmd>RedraftNextEdit<CR>' or '<Tab>'
end, { expr = true })
map('n', '<Plug>(redraft-next-edit-dismiss)', function() require('redraft.next_edit').dismiss() end)

-- Without a suggestion the keys keep their usual meaning.
local function ghost_map(name, keys, call)
  map('i', '<Plug>(redraft-ghost-' .. name .. ')', function()
    local is_shown = require('redraft.ghost').is_visible()
    return keys and not is_shown and keys or ('<Cmd>lua require("redraft.ghost").%s<CR>'):format(call)
  end, { expr = true, replace_keycodes = true })
end
ghost_map('accept', '<Tab>', 'accept()')
ghost_map('word', '<M-Right>', 'accept_word()')
ghost_map('line', '<M-Down>', 'accept_line()')
ghost_map('next', nil, 'cycle(1)')
ghost_map('previous', nil, 'cycle(-1)')
ghost_map('dismiss', '<C-]>', 'dismiss()')
