"""What `cmake --install` places can be moved as a whole: it finds its own files, and takes nothing of where it was built."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import packaging_kit  # noqa: F401
from dist_steps import elf

NEOVIM = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "redraft/editors/bin/nvim"
EDIT_IN_NEOVIM = """
vim.cmd.packadd('redraft.nvim')
require('redraft').setup({ target = 'MODEL' })
vim.cmd.edit('a.py')
vim.cmd('RedraftEdit rename w to width')
local function session() return require('redraft.client').sessions(vim.api.nvim_get_current_buf())[1] end
assert(vim.wait(120000, function() return session() and session().state == 'done' end, 50), 'no edit came')
vim.cmd('RedraftAccept!')
vim.cmd.write()
local client = vim.lsp.get_clients({ name = 'redraft' })[1]
print(client.config.cmd[1])
client:stop() -- a server that outlives its editor still writes to HOME while the test removes it
assert(vim.wait(60000, function() return client:is_stopped() end, 20), 'the server did not end')
"""
TIME_LIMIT = 600  # seconds; none takes a tenth of it
SYSTEM = re.compile(r"/(usr/)?lib(64|/[\w-]+)?/[^/]+$")


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(dir=os.environ["REDRAFT_BUILD"])
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name).resolve()
        subprocess.run(["cmake", "--install", os.environ["REDRAFT_BUILD"], "--prefix", cls.folder / "first", "--strip"],
                       check=True, capture_output=True, timeout=TIME_LIMIT)
        cls.prefix = cls.folder / "moved here" / "redraft"  # paths have spaces
        cls.prefix.parent.mkdir()
        (cls.folder / "first").rename(cls.prefix)
        cls.model = cls.folder / "tiny.gguf"
        subprocess.run([os.environ["REDRAFT_WRITE_MODEL"], cls.model, "1", "last"], check=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

    def run_program(self, *words, program=None, **environment):
        """Nothing of this environment is handed on: no PATH to a build tree, no folder with libtorch."""
        return subprocess.run([program or self.prefix / "bin" / "redraft", *map(str, words)], capture_output=True, text=True,
                              timeout=TIME_LIMIT, cwd=self.home, stdin=subprocess.DEVNULL, errors="replace",
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.home), **environment})

    def edit(self, **options):
        file = self.home / "a.py"
        file.write_text("def area(w, h):\n    return w * h\n")
        return self.run_program("edit", file, "write it anew", "--target", self.model, "--max-new-tokens", "8",
                                "--format", "json", **options)

    def test_it_edits_with_a_model(self):
        done = self.edit()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["new_tokens"], 0)

    def test_all_that_is_opened_is_its_own_or_the_systems(self):
        shown = self.edit(LD_DEBUG="files").stderr
        opened = set(re.findall(r"calling init: (/.+)", shown))
        own = {path for path in opened if path.startswith(f"{self.prefix}/")}
        self.assertLessEqual({"libtorch_cpu.so", "libc10.so", "libgomp.so.1", "libredraft-transformer.so"},
                             {pathlib.Path(path).name for path in own})
        system = opened - own
        self.assertEqual([path for path in system if not SYSTEM.match(path)], [])
        self.assertEqual([path for path in system if not elf.OF_THE_SYSTEM.fullmatch(pathlib.Path(path).name)], [])

    def test_each_file_looks_beside_itself(self):
        for path in (self.prefix / "bin" / "redraft", self.prefix / "lib" / "redraft" / "libredraft-transformer.so"):
            _, places = elf.dynamic(path)
            self.assertTrue(places)
            self.assertEqual([place for place in places if not place.startswith("$ORIGIN")], [])

    def test_what_shells_and_editors_find(self):
        for name in ("share/man/man1/redraft.1", "share/bash-completion/completions/redraft", "share/zsh/site-functions/_redraft",
                     "share/fish/vendor_completions.d/redraft.fish", "share/redraft/tools/pull_models.py",
                     "share/nvim/site/pack/redraft/opt/redraft.nvim/plugin/redraft.lua"):
            self.assertGreater((self.prefix / name).stat().st_size, 100, name)

    def test_neovim_starts_the_program_that_its_plugin_came_with(self):
        program = str(NEOVIM) if NEOVIM.exists() else shutil.which("nvim")
        if not program:
            self.skipTest("Neovim is not installed (tests/editors/setup.sh neovim)")
        (self.home / "a.py").write_text("def area(w, h):\n    return w * h\n")
        (self.home / "edit.lua").write_text(EDIT_IN_NEOVIM.replace("MODEL", str(self.model)))
        packages = f"lua vim.opt.packpath:prepend('{self.prefix}/share/nvim/site')"
        shown = self.run_program("--clean", "--headless", "--cmd", packages, "-c", "luafile edit.lua", "-c", "qall!",
                                 program=program, REDRAFT_LSP_NO_SHARE="1")
        self.assertIn(f"{self.prefix}/bin/redraft", shown.stderr + shown.stdout)
        self.assertEqual((self.home / "a.py").read_text(), "def area(width, h):\n    return width * h\n", shown.stderr)

    def test_a_link_to_the_program_does(self):
        link = self.home / "redraft"
        link.symlink_to(self.prefix / "bin" / "redraft")
        self.assertIn(f"used by {self.prefix}/lib", self.run_program("doctor", "--quick", program=link).stdout)

    def test_doctor_finds_all(self):
        doctor = self.run_program("doctor", "--quick", "--target", self.model)
        self.assertEqual(doctor.returncode, 0, doctor.stderr)
        for row in ("libtorch  [0-9.]+ .CPU., used by ", "sharing   ", "fetching  with python3 and ", "Neovim    its plugin is "):
            self.assertRegex(doctor.stdout, rf"(?m)^{row}.*moved here")

    def test_without_a_model_doctor_says_how_to_get_one(self):
        doctor = self.run_program("doctor", "--quick")
        self.assertEqual(doctor.returncode, 1)
        self.assertIn("redraft models pull qwen2.5-coder-1.5b", doctor.stderr)

    def broken(self, *missing):
        """A copy without some files; links, because libtorch is large."""
        copy = self.home / "broken"
        shutil.copytree(self.prefix, copy, copy_function=os.link if self.same_disk() else shutil.copy2, symlinks=True)
        for name in missing:
            path = copy / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return copy / "bin" / "redraft"

    def same_disk(self):
        return self.home.stat().st_dev == self.prefix.stat().st_dev

    def test_doctor_says_what_is_missing(self):
        for missing, word in (("lib/redraft/libredraft-transformer.so", "not found: there is no .*libredraft-transformer.so"),
                              ("lib/redraft/libtorch_cpu.so", "cannot be loaded: libtorch_cpu.so: ")):
            with self.subTest(missing=missing):
                program = self.broken(missing)
                doctor = self.run_program("doctor", "--quick", "--target", self.model, program=program)
                self.assertEqual(doctor.returncode, 1, doctor.stdout)
                self.assertRegex(doctor.stdout, f"(?m)^libtorch  {word}.*[Ii]nstall redraft again")
                self.assertRegex(doctor.stderr, f"redraft: error: libtorch {word}")
                shutil.rmtree(self.home / "broken")
        program = self.broken("bin/redraft-attached", "share/redraft", "share/nvim")
        doctor = self.run_program("doctor", "--quick", "--target", self.model, program=program)
        self.assertEqual(doctor.returncode, 0, doctor.stderr)  # it edits all the same
        self.assertRegex(doctor.stdout, r"(?m)^sharing   there is no .*redraft-attached: .*[Ii]nstall redraft again")
        self.assertRegex(doctor.stdout, r"(?m)^fetching  not possible: its script is missing next to the program.*models add FILE")
        self.assertRegex(doctor.stdout, r"(?m)^Neovim    its plugin is missing next to this program")

    def test_doctor_misses_python(self):
        doctor = self.run_program("doctor", "--quick", "--target", self.model, PATH="/nowhere")
        self.assertRegex(doctor.stdout, r"(?m)^fetching  not possible: `redraft models pull` needs python3")


if __name__ == "__main__":
    unittest.main()
