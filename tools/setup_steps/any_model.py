"""Puts any GGUF file into the store, from an address or a repository of the hub, under its own name. No file is overwritten.
A model in several files is named by the first one; all of them are fetched."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import urllib.parse

from . import hub, parts
from .common import SetupError, sha256_of
from .models import directory, known_models
from .registry import ConnectionBroken
from .transfer import Transfer
from .web import Web, digest_of, normal, origin, plain, shown

_MAX_NAME = 200  # bytes


def is_elsewhere(word):
    """Whether a word on the command line is an address or a repository, not the name of a known model."""
    return "://" in word or hub.is_repository(word)


def checked_name(name):
    """The name of a file in the store; an error for a name that may do harm there."""
    told = plain(name, 80)
    if not name.isprintable() or re.search(r"[/\\]", name) or name.startswith((".", "-")) or not name.isascii() \
            or len(name) > _MAX_NAME:
        raise SetupError(f"'{told}' is not a valid name for a file in the models folder")
    if not name.lower().endswith(".gguf") or name.lower() == ".gguf":
        raise SetupError(f"'{told}': redraft downloads only GGUF files, whose names end in .gguf")
    if not parts.is_possible(name):
        raise SetupError(f"'{told}' has the numbers of a part of a model, but they are impossible")
    for model in known_models():
        if name.lower() in (model["file"].lower(), model["name"].lower()):
            raise SetupError(f"'{told}' is the file of {model['name']}: `redraft models pull {model['name']}`")
    return name


def _of_address(word):
    address = normal(word)
    split = urllib.parse.urlsplit(address)
    folder, _, last = split.path.rpartition("/")
    name = checked_name(urllib.parse.unquote(last))
    number, _ = parts.numbers(name) or (1, 1)
    if number != 1:
        raise SetupError(f"'{plain(name, 80)}' is part {number} of a model; name the first one, {plain(parts.other(name, 1), 80)}")

    def of_part(part):
        path = split.path if part == name else f"{folder}/{urllib.parse.quote(part)}"
        return hub.Source(name=part, title=f"from {origin(address)[1]}", address=urllib.parse.urlunsplit(split._replace(path=path)))
    return [of_part(part) for part in parts.all_of(name)]


def _find(web, word, sha256):
    """The Sources of a model's files."""
    sources = _of_address(word) if "://" in word else hub.find(web, word)
    if sha256 and len(sources) > 1:
        raise SetupError(f"{sources[0].name}: --sha256 is that of one file, but this model has {len(sources)}")
    for source in sources:
        source.of_hub = origin(source.address) == origin(hub.endpoint())
        if sha256 and source.sha256 and sha256 != source.sha256:
            raise SetupError(f"{source.name}: the hub's file has the SHA-256 {source.sha256}, not the one that was given")
        source.sha256 = sha256 or source.sha256
        checked_name(source.name)
    return sources


class Puller:
    """`program`: redraft, which says whether it can run the downloaded file. `architectures`: those that it runs."""

    def __init__(self, report, sha256=None, program=None, architectures=()):
        if sha256 and not digest_of(sha256):
            raise SetupError("--sha256 takes the 64 hexadecimal digits of a SHA-256")
        self._report, self._sha256 = report, digest_of(sha256)
        self._program, self._architectures = program, architectures
        self._web = Web(token=hub.token(), token_for=hub.endpoint(), reads_plain=bool(sha256))

    def ensure(self, word):
        try:
            sources = _find(self._web, word, self._sha256)
        except ConnectionBroken as error:
            raise SetupError(f"{plain(word)}: no answer ({error}): is there a network?") from error
        directory().mkdir(parents=True, exist_ok=True)
        _check_room(sources)
        for source in sources[:-1]:
            self._report.end(self._ensure_file(source))
        last = self._ensure_file(sources[-1])
        if self._program:
            self._check_with_program(directory() / sources[0].name)
        self._report.end(last)

    def _ensure_file(self, source):
        path = directory() / source.name
        model = {"name": source.name, "title": source.title, "bytes": source.bytes or 0, "licence": source.licence}
        if os.path.lexists(path):
            self._check_present(path, source, model)
        else:
            self._fetch(path, source, model)
        return model

    def _hash(self, path, model):
        return sha256_of(path, lambda count: self._report.progress(model, "checking", min(count, model["bytes"])))

    def _check_present(self, path, source, model):
        """Accepts an existing file of that name if it is the requested one, and otherwise fails."""
        if not path.is_file():
            raise SetupError(f"{path} is in the way: it is not a file")
        model["bytes"] = path.stat().st_size
        origin_of = _read_origin(path)
        from_there = origin_of.get("stamp") == _stamp(path) and origin_of
        found = from_there["sha256"] if from_there else self._hash(path, model)
        same = found == source.sha256 if source.sha256 else from_there and from_there["address"] == shown(source.address)
        if not same:
            raise SetupError(f"{path} is there already, and is another file; move it away and run this again")
        model["told"] = {"sha256": found, "file": str(path)}

    def _fetch(self, path, source, model):
        partial = _partial(path, source)
        transfer = Transfer(self._web, source, model, partial, self._report, self._architectures)
        transfer.run()
        found = self._hash(partial, model)
        if source.sha256 and found != source.sha256:
            transfer.remove()
            raise SetupError(f"the file from the server has the SHA-256 {found} where {source.sha256} is expected; it was "
                             f"removed ({shown(source.address)})")
        _place(partial, path)
        transfer.remove()
        _write_origin(path, shown(source.address), found)
        model["told"] = {"sha256": found, "file": str(path)}
        if not source.sha256:
            self._report.note(f"nothing says what its SHA-256 should be; it is {found}")

    def _check_with_program(self, path):
        said = subprocess.run([self._program, "models", "show", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL)
        if said.returncode != 0:
            why = said.stderr.decode("utf-8", "replace").strip().replace("redraft: error: ", "", 1)
            raise SetupError(f"{path.name} is in {path.parent}, but redraft cannot run it: {plain(why, 400)}")
        self._report.about(said.stdout.decode("utf-8", "replace").strip())


def _partial(path, source):
    key = hashlib.sha256((source.sha256 or source.address).encode()).hexdigest()[:12]
    return path.with_name(f".{path.name}.{key}.partial")


def _check_room(sources):
    """Before the first of several parts is fetched. Transfer checks the room for each file."""
    needed = 0
    for source in sources:
        path = directory() / source.name
        if len(sources) > 1 and source.bytes and not os.path.lexists(path):
            partial = _partial(path, source)
            needed += source.bytes - (partial.stat().st_size if partial.exists() else 0)
    free = shutil.disk_usage(directory()).free
    if free < needed:
        raise SetupError(f"{directory()} has {free / 1e6:.0f} MB free where {needed / 1e6:.0f} MB are needed")


def _place(partial, path):
    """Gives the file its name, unless another file has taken it meanwhile."""
    taken = SetupError(f"{path} has appeared meanwhile; move it away and run this again, which downloads nothing twice")
    try:
        os.link(partial, path)
    except FileExistsError as error:
        raise taken from error
    except OSError:  # a file system without hard links
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o666))
        except FileExistsError as error:
            raise taken from error
        os.replace(partial, path)


def _origin_file(path):
    return path.with_name(f".{path.name}.origin")


def _stamp(path):
    status = os.stat(path)
    return f"{status.st_size} {status.st_mtime_ns}"


def _write_origin(path, address, sha256):
    _origin_file(path).write_text(json.dumps({"address": address, "sha256": sha256, "stamp": _stamp(path)}))


def _read_origin(path):
    """Where a file came from; empty: not known."""
    try:
        found = json.loads(_origin_file(path).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and {"address", "sha256", "stamp"} <= set(found) else {}
