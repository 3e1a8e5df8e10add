"""The installed tree that every artefact contains: the stripped result of `cmake --install`, with documents and licences."""

import os
import pathlib
import re
import subprocess

from . import elf
from .licences import write_licences
from .packing import DistError, normalise, run, written

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENTS = pathlib.PurePosixPath("share/doc/redraft")
PLUGIN = pathlib.PurePosixPath("share/nvim/site/pack/redraft/opt/redraft.nvim")


def version():
    return re.search(r"project\(\s*redraft\s+VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def epoch():
    """The time for all files: SOURCE_DATE_EPOCH, or the commit's time, which an archive from `git archive` records."""
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    shown = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%H %ct"], capture_output=True, text=True).stdout \
        if (ROOT / ".git").exists() else (ROOT / "cmake" / "archived_commit.txt").read_text()
    found = re.match(r"[0-9a-f]+ (\d+)", shown)
    if not found:
        raise DistError("the commit's time is unknown. Set SOURCE_DATE_EPOCH")
    return int(found[1])


def help_tags(folder):
    """The result of Neovim's :helptags, so that `:help redraft` works in a read-only folder."""
    lines = []
    for file in sorted((folder / "doc").glob("*.txt")):
        for tag in re.findall(r"(?:^|\s)\*([^*\s|]+)\*(?=\s|$)", file.read_text(encoding="utf-8")):
            lines.append(f"{tag}\t{file.name}\t/*{tag}*\n")
    written(folder / "doc" / "tags", "".join(sorted(lines)))


def _relative_rpaths(folder):
    """Fixes the wheels' libraries, which also look for NVIDIA's other wheels, outside of this tree."""
    for path in elf.elves(folder):
        _, places = elf.dynamic(path)
        if len(places) > 1 and "$ORIGIN" in places:
            elf.look_in(path, "$ORIGIN")


def stage(build, folder):
    """Installs `build` into the new `folder`. Returns the newest versions of the system's libraries that it needs."""
    run(["cmake", "--install", build, "--prefix", folder, "--strip"])
    for library in sorted((folder / "lib" / "redraft").glob("*.so*")):
        if library.is_symlink():  # one file under the name that is looked up, because not every archive supports links
            os.replace(library.resolve(), library)
    for library in (folder / "lib" / "redraft").iterdir():
        run(["strip", "--strip-unneeded", library])
    _relative_rpaths(folder)
    help_tags(folder / PLUGIN)
    documents = folder / DOCUMENTS
    for name in ["LICENSE", "CHANGELOG.md", "SECURITY.md", "docs/installing.md", "docs/dependencies.md"]:
        written(documents / pathlib.Path(name).name, (ROOT / name).read_text(encoding="utf-8"))
    written(folder / PLUGIN / "LICENSE", (ROOT / "LICENSE").read_text())
    write_licences(folder, documents / "licences", ROOT)
    spdx = documents / "redraft.spdx.json"
    run([ROOT / "tools" / "dependencies.py", "--spdx", spdx], env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())})
    needed = elf.check(folder)
    normalise(folder, epoch())
    return needed
