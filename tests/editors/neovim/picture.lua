-- The screen of a Neovim as a picture: its cells in their colours, as SVG.
local M = {}

local cell_width, cell_height = 8.43, 19
local foreground, background = 0xe0e2ea, 0x14161b

local function escape(text)
  return (text:gsub('[&<>]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' }))
end

local function colours(attributes)
  local fg, bg = attributes.foreground or foreground, attributes.background or background
  if attributes.reverse then
    fg, bg = bg, fg
  end
  return fg, bg
end

-- Neighbouring cells with the same attributes, as { column, text, attributes }.
local function runs_of(cells)
  local runs = {}
  for column, cell in ipairs(cells) do
    local last = runs[#runs]
    if last and vim.deep_equal(last.attributes, cell[2]) then
      last.text = last.text .. cell[1]
      last.width = last.width + 1
    else
      table.insert(runs, { column = column - 1, text = cell[1], width = 1, attributes = cell[2] })
    end
  end
  return runs
end

local function draw_row(svg, cells, row)
  for _, run in ipairs(runs_of(cells)) do
    local fg, bg = colours(run.attributes)
    local x, y, wide = run.column * cell_width, row * cell_height, run.width * cell_width
    if bg ~= background then
      table.insert(svg, ('<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="#%06x"/>'):format(x, y, wide + 0.3, cell_height, bg))
    end
    if run.text:find('%S') then
      local weight = run.attributes.bold and ' font-weight="bold"' or ''
      table.insert(svg, ('<text x="%.2f" y="%d" fill="#%06x"%s textLength="%.2f" xml:space="preserve">%s</text>'):format(
        x, y + 14, fg, weight, wide, escape(run.text)))
    end
  end
end

local function to_svg(rows)
  local w, h = #rows[1] * cell_width, #rows * cell_height
  local svg = {
    ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -12 %.0f %.0f" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">'):format(w + 24, h + 24),
    ('<rect x="-12" y="-12" width="%.0f" height="%.0f" rx="8" fill="#%06x"/>'):format(w + 24, h + 24, background),
  }
  for i, cells in ipairs(rows) do
    draw_row(svg, cells, i - 1)
  end
  table.insert(svg, '</svg>\n')
  return table.concat(svg, '\n')
end

--- To be called before what is to be pictured is on the screen: the first look at a cell renumbers all colours, and drawing
--- everything again clears a prompt.
function M.prepare(nvim)
  nvim:lua([[vim.api.nvim__inspect_cell(1, 0, 0)
    vim.cmd('redraw!')]])
end

--- Writes what the editor `nvim` shows into the file `out`.
function M.take(nvim, out)
  local rows = nvim:lua([[vim.cmd.redraw()
    local rows = {}
    for row = 0, vim.o.lines - 1 do
      rows[row + 1] = {}
      for column = 0, vim.o.columns - 1 do
        local cell, seen = vim.api.nvim__inspect_cell(1, row, column), vim.fn.screenstring(row + 1, column + 1)
        rows[row + 1][column + 1] = cell[1] == seen and cell or { seen, vim.empty_dict() } -- a prompt is in a grid of its own
      end
    end
    return rows]])
  local file = assert(io.open(out, 'wb'))
  file:write(to_svg(rows))
  file:close()
end

return M
