"""The licence texts of everything that is packed in addition to our own code. A part without one is an error."""

import pathlib
import sys

from .packing import DistError, written

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import dependencies  # noqa: E402
from setup_steps import grammars, jinja, libtorch  # noqa: E402

# Name in docs/dependencies.md -> Debian's package whose folder of documents has the text, here or on other systems.
_OF_THE_SYSTEM = {"Boost": "libboost-dev", "spdlog": "libspdlog-dev", "fmt": "libfmt-dev", "nlohmann_json": "nlohmann-json3-dev",
                  "CLI11": "libcli11-dev", "OpenSSL": "libssl-dev", "xxHash": "libxxhash-dev", "libgomp": "libgcc-s1"}
_SHARE = pathlib.Path("/usr/share")


def _only_texts(folder):
    return sorted(path for path in folder.iterdir() if path.is_file() and path.name.upper().startswith(("LICEN", "NOTICE", "COPYING")))


def _text_of(files, name):
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in files]
    if not texts:
        raise DistError(f"cannot find the licence text of {name}")
    return "\n".join(texts)


def system_library(name):
    package = _OF_THE_SYSTEM[name]
    places = [_SHARE / "doc" / package / "copyright", _SHARE / "licenses" / package]
    files = [place for place in places if place.is_file()] + [path for place in places if place.is_dir() for path in _only_texts(place)]
    return _text_of(files, f"{name} (package {package})")


def npm_part(name, modules):
    return _text_of(_only_texts(modules / name), name) if (modules / name).is_dir() else None


def write_licences(tree, folder, root):
    """Writes one file into `folder` for each part that `tree` contains."""
    for part in dependencies.all_parts():
        if part.use in (dependencies.MODEL, dependencies.TESTS):
            continue
        if part.use == dependencies.IN_EXTENSION:
            continue  # they go with the extension, by write_extension_licences()
        if part.name in _OF_THE_SYSTEM:
            text = system_library(part.name)
        elif part.use == dependencies.GRAMMAR:
            text = _text_of(_only_texts(grammars.directory() / part.name.rpartition("/")[2]), part.name)
        elif part.use == dependencies.ENGINE:
            text = _text_of(_only_texts(jinja.directory()), part.name)
        else:
            place = libtorch.directory("x86_64") / "licences" / f"{part.name.replace('-', '_')}-{part.version}"
            text = _text_of(_only_texts(place), part.name)
        written(folder / f"{part.name.rpartition('/')[2]}.txt", text)
    common = _SHARE / "common-licenses"
    for name in ("GPL-3", "Apache-2.0"):  # to which Debian's texts refer
        if (common / name).is_file():
            written(folder / f"{name}.txt", (common / name).read_text())


def write_extension_licences(modules, folder):
    for part in dependencies.bundled():
        text = npm_part(part.name, modules)
        if text is None:
            raise DistError(f"{part.name} is not in {modules}")
        written(folder / f"{part.name.replace('/', '-')}.txt", text)
