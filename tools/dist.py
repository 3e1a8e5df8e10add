#!/usr/bin/env python3
"""Packs a build for users who do not compile: an archive, a .deb, the VS Code extension with the server inside, the Neovim
plugin, a Python wheel and an npm package. The same build always gives the same bytes.

    tools/dist.py [--build build] [--out dist] [--only archive,deb,vsix,neovim,wheel,npm] [--level 19]
"""

import argparse
import hashlib
import pathlib
import shutil
import sys

from dist_steps import deb, editors, registries, stage
from dist_steps.packing import DistError, files_of, tar_zst, written

KINDS = ("archive", "deb", "vsix", "neovim", "wheel", "npm")
LIMIT = 200e6  # bytes of an artefact, packed


def megabytes(size):
    return f"{size / 1e6:8.1f} MB"


def part_of(path):
    """The part of the tree to which a file's size is added."""
    name = path.name
    if path.parts[0] == "lib":
        return "libtorch" if name.startswith(("libtorch", "libc10", "libgomp")) else \
            "CUDA libraries that libtorch was linked against" if name.startswith("libcu") else \
            "the part of redraft that uses libtorch" if name.startswith("libredraft") else "libcrypto, spdlog, fmt"
    return "the program" if path.parts[0] == "bin" else "documents, plugin, scripts"


def print_parts(staged, packed_by_name):
    sizes = {}
    for path in files_of(staged):
        if path.is_symlink():
            continue
        relative = path.relative_to(staged)
        whole, packed = sizes.get(part_of(relative), (0, 0))
        sizes[part_of(relative)] = (whole + path.stat().st_size,
                                    packed + packed_by_name.get(f"{editors.SERVER}/{relative.as_posix()}", 0))
    print("Contents (unpacked" + (", and packed in the .vsix):" if packed_by_name else "):"))
    for part, (whole, packed) in sorted(sizes.items(), key=lambda each: -each[1][0]):
        print(f"  {megabytes(whole)}{megabytes(packed) if packed_by_name else ''}  {part}")


def pack(options, kinds):
    version, epoch = stage.version(), stage.epoch()
    out = options.out.resolve()
    work = out / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    staged = work / f"redraft-{version}-linux-x64"
    needed = stage.stage(options.build.resolve(), staged)
    made, packed = [], {}
    if "archive" in kinds:
        made.append(out / f"{staged.name}.tar.zst")
        tar_zst(staged, made[-1], epoch, options.level)
    if "deb" in kinds:
        made.append(out / f"redraft_{version}_amd64.deb")
        deb.make(staged, made[-1], version, epoch, needed, options.level)
    if "vsix" in kinds:
        made.append(out / f"redraft-{editors.TARGET}-{version}.vsix")
        packed = editors.vsix(staged, made[-1], epoch, 9 if options.level > 9 else options.level)
    if "neovim" in kinds:
        plugin = work / f"redraft.nvim-{version}"
        editors.neovim(staged, plugin, epoch)
        made.append(out / f"{plugin.name}.tar.zst")
        tar_zst(plugin, made[-1], epoch, options.level)
    if "wheel" in kinds:
        made.append(registries.wheel(staged, out, version, epoch, needed, options.level))
    if "npm" in kinds:
        made.append(registries.npm(staged, out, version, epoch, options.level))
    print(f"Needs glibc {needed['GLIBC']} and a C++ library with GLIBCXX_{needed['GLIBCXX']}.")
    print_parts(staged, packed)
    shutil.rmtree(work)
    return made


def report(made):
    sums = []
    for file in made:
        with open(file, "rb") as content:
            digest = hashlib.sha256()
            for block in iter(lambda: content.read(1 << 22), b""):
                digest.update(block)
        sums.append(f"{digest.hexdigest()}  {file.name}\n")
        print(f"{megabytes(file.stat().st_size)}  {file.name}")
    written(made[0].parent / "SHA256SUMS", "".join(sums))
    large = [file.name for file in made if file.stat().st_size > LIMIT]
    if large:
        raise DistError(f"larger than {LIMIT / 1e6:.0f} MB: {', '.join(large)}")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="where `redraft` was built")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("dist"))
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, separated by commas")
    parser.add_argument("--level", type=int, default=19, choices=range(1, 23), metavar="1-22", help="compression level of zstd")
    options = parser.parse_args(arguments)
    kinds = options.only.split(",")
    if set(kinds) - set(KINDS):
        parser.error(f"--only accepts {', '.join(KINDS)}")
    try:
        report(pack(options, kinds))
    except DistError as error:
        print(f"dist: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
