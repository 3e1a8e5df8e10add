"""The system libraries that programs and libraries need, according to binutils."""

import re

from .packing import DistError, files_of, need, run, written

# Present on every Linux with a C++ runtime; all other libraries are next to the program.
OF_THE_SYSTEM = re.compile(r"(ld-linux-[\w-]+|lib(c|m|dl|rt|util|pthread|gcc_s|stdc\+\+))\.so\.\d+")
_FAMILIES = ("GLIBC", "GLIBCXX")


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def elves(folder):
    return [path for path in files_of(folder) if not path.is_symlink() and is_elf(path)]


def dynamic(path):
    """The libraries that a file needs, and the folders in which it looks for them."""
    need("readelf", "binutils")
    text = run(["readelf", "-dW", path])
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", text)
    folders = [each for line in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", text) for each in line.split(":") if each]
    return needed, folders


def look_in(path, place):
    """Makes a file look for libraries only in `place`, which must not be longer than its present path."""
    _, folders = dynamic(path)
    script = written(path.with_name(path.name + ".cmake"),
                     f'file(RPATH_CHANGE FILE "{path}" OLD_RPATH "{":".join(folders)}" NEW_RPATH "{place}")\n'.replace("$", "\\$"))
    run(["cmake", "-P", script])
    script.unlink()


def as_numbers(version):
    return tuple(int(part) for part in version.split("."))


def newest_versions(paths):
    """The newest version of the C and C++ library interfaces that any of the files requires."""
    newest = dict.fromkeys(_FAMILIES, "0")
    for path in paths:
        for family, version in re.findall(r"Name: (GLIBC|GLIBCXX)_([\d.]+)", run(["readelf", "-VW", path])):
            newest[family] = max(newest[family], version, key=as_numbers)
    return newest


def check(folder):
    """Checks that every needed library is in `folder` or the system's, and is found relative to its user."""
    files = elves(folder)
    inside = {path.name for path in files}
    for path in files:
        needed, folders = dynamic(path)
        missing = [name for name in needed if name not in inside and not OF_THE_SYSTEM.fullmatch(name)]
        if missing:
            raise DistError(f"{path.relative_to(folder)} needs {', '.join(missing)}, which is not in the package")
        outside = [each for each in folders if not each.startswith("$ORIGIN")]
        if outside:
            raise DistError(f"{path.relative_to(folder)} looks for libraries in {', '.join(outside)}")
    return newest_versions(files)
