"""The .deb: one for Debian 12, Ubuntu 22.04 and later, because it contains all libraries except the C and C++ libraries."""

import hashlib
import os
import pathlib
import shutil

from . import elf
from .packing import copy_tree, files_of, gzip_file, need, normalise, run, written
from .stage import DOCUMENTS

# GCC that first had this version of the C++ library's interface; the package is named after the library and versioned so.
_GCC_OF_GLIBCXX = {"3.4.26": "9", "3.4.28": "9.3", "3.4.29": "11", "3.4.30": "12", "3.4.31": "13.1", "3.4.32": "13.2", "3.4.33": "14"}

_CONTROL = """Package: redraft
Version: {version}
Architecture: amd64
Maintainer: the authors of redraft <redraft@localhost>
Installed-Size: {kilobytes}
Depends: libc6 (>= {glibc}), libgcc-s1, libstdc++6 (>= {gcc})
Recommends: python3, python3-pip
Suggests: neovim (>= 0.11)
Section: editors
Priority: optional
Description: edits code with a local language model
 A language server and a command line that edit and complete code with a language
 model on this machine, losslessly and many tokens at a time. Models are not part
 of this package: `redraft models pull NAME` fetches one, with python3 and pip.
 .
 The Neovim plugin is included: `:packadd redraft.nvim`.
"""


def _move(tree, one, other):
    target = tree / other
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(tree / one, target)


def _fix_in_place(program):
    """Fixes the library path, because without /proc the loader does not know a program's folder. A package's is known."""
    copy = program.with_name("copy")
    shutil.copy2(program, copy)  # other artefacts may contain it as a hard link
    os.replace(copy, program)
    elf.look_in(program, "/usr/lib/redraft")


def _compress(file):
    """Compresses a manual page in Debian's form: without a time."""
    content = file.read_bytes()
    file.with_name(file.name + ".gz").write_bytes(gzip_file(content, 9))
    file.unlink()


def _copyright(documents):
    """Debian's file of all licences, from those of the archive."""
    parts = ["redraft: Apache-2.0, /usr/share/common-licenses/Apache-2.0\n"]
    parts += [f"{'-' * 76}\n{file.stem}\n\n{file.read_text(encoding='utf-8')}" for file in sorted((documents / "licences").glob("*.txt"))]
    return "\n".join(parts)


def make(staged, file, version, epoch, needed, level):
    """Packs the tree `staged` into `file`; `needed` has the versions of the system's libraries."""
    need("dpkg-deb", "dpkg")
    root = file.parent / f"{file.stem}.tree"
    shutil.rmtree(root, ignore_errors=True)
    copy_tree(staged, root / "usr")
    _move(root, "usr/share/zsh/site-functions", "usr/share/zsh/vendor-completions")
    _compress(root / "usr/share/man/man1/redraft.1")
    _fix_in_place(root / "usr/bin/redraft")
    documents = root / "usr" / DOCUMENTS
    written(documents / "copyright", _copyright(documents))
    shutil.rmtree(documents / "licences")
    control = pathlib.Path(root / "DEBIAN")
    sums = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root).as_posix()}\n"
                   for path in files_of(root) if not path.is_symlink())
    written(control / "md5sums", sums)
    kilobytes = sum(-(-path.stat().st_size // 1024) for path in files_of(root / "usr") if not path.is_symlink())
    written(control / "control", _CONTROL.format(version=version, kilobytes=kilobytes, glibc=needed["GLIBC"],
                                                 gcc=_GCC_OF_GLIBCXX[needed["GLIBCXX"]]))
    normalise(root, epoch)
    run(["dpkg-deb", "--root-owner-group", "-Zzstd", f"-z{level}", "--build", root, file],
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)})
    shutil.rmtree(root)
