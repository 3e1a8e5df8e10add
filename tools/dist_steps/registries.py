"""The packages for those who have pip or npm and no compiler: the installed tree as a Python wheel and as an npm package.
Both hold the program, its libraries and the editors' files, neither Python nor JavaScript, and run nothing when installed."""

import base64
import hashlib
import io
import json
import shutil
import tarfile

from .elf import as_numbers
from .packing import DistError, copy_tree, files_of, gzip_file, normalise, tar_entry, written, zip_all
from .stage import ROOT

# The oldest manylinux tag whose policy allows this version of the C++ library's interface (auditwheel's policies).
_GLIBC_OF_GLIBCXX = {"3.4.26": "2.31", "3.4.28": "2.31", "3.4.29": "2.34", "3.4.30": "2.35", "3.4.31": "2.38", "3.4.32": "2.38",
                     "3.4.33": "2.39"}
_ABOUT = "Edits and completes code with a local language model, losslessly and many tokens at a time"
# What only a system's package puts where a shell finds it.
_NOT_FOR_SHELLS = ("bash-completion", "zsh", "fish")


def _readme():
    return (ROOT / "README.md").read_text(encoding="utf-8")


def platform_tag(needed):
    """The tag of a wheel that needs these versions of the system's libraries."""
    glibc = max(needed["GLIBC"], _GLIBC_OF_GLIBCXX[needed["GLIBCXX"]], key=as_numbers)
    return f"manylinux_{glibc.replace('.', '_')}_x86_64"


def _tree(staged, folder, epoch):
    copy_tree(staged, folder)
    for name in _NOT_FOR_SHELLS:
        shutil.rmtree(folder / "share" / name)
    normalise(folder, epoch)
    links = [path for path in files_of(folder) if path.is_symlink()]
    if links:
        raise DistError(f"a wheel and an npm package hold no links, such as {links[0].relative_to(folder)}")


def _record_line(name, content):
    digest = hashlib.sha256(content).digest()
    return f"{name},sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()},{len(content)}\n"


def wheel(staged, folder, version, epoch, needed, level):
    """Writes the wheel into `folder` and returns its path. pip places the program beside its Python, and libraries and
    documents below the same prefix, so that the program finds them."""
    tag = f"py3-none-{platform_tag(needed)}"
    tree = folder / "work" / "wheel"
    _tree(staged, tree, epoch)
    data, info = f"redraft-{version}.data", f"redraft-{version}.dist-info"
    entries = []
    for path in files_of(tree):
        name = path.relative_to(tree).as_posix()
        place = f"scripts/{name.removeprefix('bin/')}" if name.startswith("bin/") else f"data/{name}"
        entries.append((f"{data}/{place}", path, path.stat().st_mode & 0o777))
    metadata = (f"Metadata-Version: 2.4\nName: redraft\nVersion: {version}\nSummary: {_ABOUT}\nLicense-Expression: Apache-2.0\n"
                f"License-File: LICENSE\nRequires-Python: >=3.9\nClassifier: Operating System :: POSIX :: Linux\n"
                f"Description-Content-Type: text/markdown\n\n{_readme()}")
    texts = {"METADATA": metadata, "WHEEL": f"Wheel-Version: 1.0\nGenerator: redraft\nRoot-Is-Purelib: false\nTag: {tag}\n",
             "licenses/LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8")}
    entries += [(f"{info}/{name}", text.encode(), 0o644) for name, text in sorted(texts.items())]
    record = "".join(_record_line(name, content if isinstance(content, bytes) else content.read_bytes())
                     for name, content, _ in entries) + f"{info}/RECORD,,\n"
    entries.append((f"{info}/RECORD", record.encode(), 0o644))
    file = folder / f"redraft-{version}-{tag}.whl"
    zip_all(entries, file, epoch, min(level, 9))
    return file


def npm(staged, folder, version, epoch, level):
    """Writes the npm package into `folder` and returns its path."""
    tree = folder / "work" / "npm" / "package"  # the name that npm expects
    _tree(staged, tree, epoch)
    about = {"name": "redraft-editor", "version": version, "description": _ABOUT, "license": "Apache-2.0",
             "bin": {"redraft": "bin/redraft"}, "os": ["linux"], "cpu": ["x64"], "libc": ["glibc"]}
    written(tree / "package.json", json.dumps(about, indent=2) + "\n")
    written(tree / "README.md", _readme())
    written(tree / "LICENSE", (ROOT / "LICENSE").read_text(encoding="utf-8"))
    normalise(tree, epoch)
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in files_of(tree):
            with open(path, "rb") as part:
                archive.addfile(tar_entry(path, path.relative_to(tree.parent).as_posix(), epoch), part)
    file = folder / f"redraft-editor-{version}.tgz"
    file.write_bytes(gzip_file(content.getvalue(), min(level, 9)))
    return file
