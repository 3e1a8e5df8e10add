"""Real completion plugins against `redraft serve --http`: Neovim runs them without a display, and gets real keys.

REDRAFT_PLUGINS names a folder with checkouts of llama.vim and minuet-ai.nvim. Without it the test is skipped, because no
package registry has them."""

import json
import os
import pathlib
import subprocess
import unittest

from http_case import TIME_LIMIT, HttpTest

PLUGINS = os.environ.get("REDRAFT_PLUGINS")
EDITOR = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "redraft/editors/bin/nvim"

# Runs in one Neovim and drives another one, whose lines it prints at the end.
DRIVER = """
local child = vim.fn.jobstart({vim.env.EDITOR, "--clean", "--embed", "--headless"}, {rpc = true})
local function call(method, ...) return vim.rpcrequest(child, "nvim_" .. method, ...) end
local function lua(code, ...) return call("exec_lua", code, {...}) end
local function keys(text) call("input", text) end
local function wait_for(what, condition)
  if vim.wait(%d, condition, 20) then return end
  error("waited in vain for " .. what .. "\\n" .. call("exec2", "messages", {output = true}).output)
end
lua("vim.o.swapfile = false; vim.opt.runtimepath:append(vim.env.PLUGIN)")
local ok, problem = pcall(function()
%s
end)
if ok then io.stdout:write(vim.json.encode(call("buf_get_lines", 0, 0, -1, false))) else io.stderr:write(problem) end
vim.fn.jobstop(child)
"""


@unittest.skipUnless(PLUGINS, "REDRAFT_PLUGINS names no folder with llama.vim and minuet-ai.nvim")
@unittest.skipUnless(EDITOR.exists(), "Neovim is not installed; tests/editors/setup.sh neovim does it")
class Plugins(HttpTest):
    def lines_after(self, plugin, server, script):
        """The lines of the buffer at the end of the script."""
        file = self.folder / "script.lua"
        file.write_text(DRIVER % (1000 * TIME_LIMIT, script), encoding="utf-8")
        env = {**os.environ, "PLUGIN": str(pathlib.Path(PLUGINS) / plugin), "XDG_CONFIG_HOME": str(self.folder),
               "URL": f"http://127.0.0.1:{server.port}", "TOKEN": server.token, "EDITOR": str(EDITOR)}
        run = subprocess.run([EDITOR, "--clean", "--headless", "-l", file], env=env, capture_output=True, text=True,
                             timeout=2 * TIME_LIMIT)
        self.assertTrue(run.stdout, run.stderr)
        refused = [line for line in server.get("/metrics").body.decode().splitlines() if 'status="4' in line]
        self.assertEqual(refused, [])
        return json.loads(run.stdout)

    def test_llama_vim_fills_in(self):
        lines = self.lines_after("llama.vim", self.start(), """
            lua([[
              vim.g.llama_config = {endpoint_fim = vim.env.URL .. "/infill", api_key = vim.env.TOKEN}
              vim.cmd("runtime plugin/llama.vim")
            ]])
            keys("iz = 3<Esc>Ox = ")
            wait_for("the hint", function() return lua("return vim.fn['llama#is_fim_hint_shown']()") == true end)
            keys("<Tab>")
            wait_for("the text", function() return call("buf_line_count", 0) > 2 end)
        """)
        self.assertEqual(lines, ["x = 1", "y = 2", "z = 3"])

    def test_llama_vim_follows_an_instruction(self):
        server = self.start(answers=[{"after": "", "write": "x = 4\n"}])
        lines = self.lines_after("llama.vim", server, """
            lua([[
              vim.g.llama_config = {endpoint_inst = vim.env.URL .. "/v1/chat/completions", api_key = vim.env.TOKEN,
                                    auto_fim = false}
              vim.cmd("runtime plugin/llama.vim")
            ]])
            keys("ix = 3<Esc>:LlamaInstruct<CR>make it four<CR>")
            wait_for("the answer", function()
              keys("<Tab>")
              return call("buf_get_lines", 0, 0, 1, false)[1] == "x = 4"
            end)
        """)
        self.assertEqual(lines[0], "x = 4")

    def test_minuet_fills_in(self):
        lines = self.lines_after("minuet-ai.nvim", self.start(), """
            lua([[
              require("minuet").setup({
                provider = "openai_fim_compatible", n_completions = 2, context_window = 512, throttle = 0, debounce = 0,
                virtualtext = {auto_trigger_ft = {}, keymap = {accept = "<C-g>", next = "<C-n>"}},
                provider_options = {openai_fim_compatible = {
                  api_key = "TOKEN", name = "Llama.cpp", end_point = vim.env.URL .. "/v1/completions",
                  model = "PLACEHOLDER", optional = {max_tokens = 56, top_p = 0.9},
                  template = {
                    prompt = function(before, after)
                      return "<|fim_prefix|>" .. before .. "<|fim_suffix|>" .. after .. "<|fim_middle|>"
                    end,
                    suffix = false,
                  },
                }},
              })
            ]])
            keys("iz = 3<Esc>Ox = <C-n>")
            wait_for("the suggestion", function()
              return lua("return require('minuet.virtualtext').action.is_visible()")
            end)
            keys("<C-g>")
            wait_for("the text", function() return call("buf_line_count", 0) > 2 end)
        """)
        self.assertEqual(lines[:2], ["x = 1", "y = 2"])


if __name__ == "__main__":
    unittest.main()
