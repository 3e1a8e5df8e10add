"""The VS Code extension with the server inside, and the Neovim plugin as a repository's root."""

import os
import pathlib
import re
import shutil
import tempfile
import zipfile

from .licences import write_extension_licences
from .packing import copy_tree, files_of, normalise, run, written, zip_all
from .stage import DOCUMENTS, PLUGIN, ROOT

EXTENSION = ROOT / "editors" / "vscode"
TARGET = "linux-x64"
SERVER = "extension/server"
_HEAD = ("extension.vsixmanifest", "[Content_Types].xml")


def _packaged(folder):
    """Packs only the extension with vsce, for this platform, with the tools from the lock files."""
    setup = ROOT / "tests" / "editors" / "setup.sh"
    run(["bash", setup, "--strict", "extension"])
    wheels = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "redraft" / "editors" / "wheels"
    alone = folder / "alone.vsix"
    run(["npm", "run", "--silent", "package", "--", "--target", TARGET, "--out", alone], cwd=EXTENSION,
        env={**os.environ, "PATH": f"{wheels / 'commands'}:{os.environ['PATH']}"})
    return alone


def _content_types(text, names):
    """Adds a type for every file extension, which the package format requires."""
    known = set(re.findall(r'Extension="([^"]+)"', text))
    endings = sorted({pathlib.PurePosixPath(name).suffix for name in names} - known - {""})
    added = "".join(f'<Default Extension="{ending}" ContentType="application/octet-stream"/>' for ending in endings)
    return text.replace("</Types>", added + "</Types>")


def _server(staged, folder):
    """The part of the installed tree that the extension needs: no other editor's plugin, nothing for shells."""
    copy_tree(staged, folder)
    for name in ("nvim", "man", "bash-completion", "zsh", "fish"):
        shutil.rmtree(folder / "share" / name)
    write_extension_licences(EXTENSION / "node_modules", folder / DOCUMENTS / "licences" / "extension")


def vsix(staged, file, epoch, level):
    """Returns the packed size of each member of the extension."""
    with tempfile.TemporaryDirectory(dir=file.parent) as place:
        place = pathlib.Path(place)
        server = place / "server"
        _server(staged, server)
        normalise(server, epoch)
        with zipfile.ZipFile(_packaged(place)) as alone:
            entries = {name: (alone.read(name), 0o644) for name in alone.namelist() if not name.endswith("/")}
        for path in files_of(server):
            entries[f"{SERVER}/{path.relative_to(server).as_posix()}"] = (path, path.stat().st_mode & 0o777)
        types, mode = entries["[Content_Types].xml"]
        entries["[Content_Types].xml"] = (_content_types(types.decode(), entries).encode(), mode)
        ordered = [*_HEAD, *sorted(set(entries) - set(_HEAD))]
        return zip_all([(name, *entries[name]) for name in ordered], file, epoch, level)


def neovim(staged, folder, epoch):
    """Writes the plugin into `folder` as the root of a repository, which plugin managers expect."""
    copy_tree(staged / PLUGIN, folder)
    written(folder / "README.md", """# redraft.nvim

The Neovim plugin of redraft, which edits code with a local language model. It needs Neovim 0.11 or later and the program
`redraft`, in PATH or named by `cmd`: from redraft's archive, its .deb, or built from its source.

With lazy.nvim, if this folder is at ~/redraft.nvim:

    { dir = '~/redraft.nvim', opts = { keymaps = true } }

With vim-plug: `Plug '~/redraft.nvim'`, and in Lua `require('redraft').setup({ keymaps = true })`. Without a manager: place
it at ~/.config/nvim/pack/redraft/start/redraft.nvim. `:checkhealth redraft` shows what is missing; see `:help redraft`.
""")
    normalise(folder, epoch)
