"""Finds the files of a model in a repository of Hugging Face's hub, or of a compatible server (HF_ENDPOINT)."""

import json
import os
import re
import urllib.parse
from dataclasses import dataclass
from typing import Optional

from . import parts
from .common import SetupError
from .web import digest_of, explain, normal, origin, plain

_HUB = "https://huggingface.co"
_MAX_BYTES = 16 << 20  # of the hub's answer
_MAX_LISTED = 40
_REPOSITORY = re.compile(r"([A-Za-z0-9][\w.-]{0,95})/([A-Za-z0-9][\w.-]{0,95})(?::(.+))?")


@dataclass
class Source:
    """Where a file is, and what is known about it before the download."""
    name: str  # in the store
    title: str
    address: str
    licence: str = "not stated"
    bytes: Optional[int] = None
    sha256: Optional[str] = None
    of_hub: bool = False


def endpoint():
    return normal(os.environ.get("HF_ENDPOINT") or _HUB).rstrip("/")


def token():
    text = os.environ.get("HF_TOKEN", "").strip()
    if text and not re.fullmatch(r"[!-~]{1,500}", text):
        raise SetupError("HF_TOKEN is not a token: it has characters that no token has")
    return text or None


def is_repository(word):
    return _REPOSITORY.fullmatch(word) is not None


def _licence(answer):
    for tag in answer.get("tags") or []:
        if isinstance(tag, str) and tag.startswith("license:"):
            return plain(tag[len("license:"):], 60) or "not stated"
    return "not stated"


def _is_model(path, files):
    """Whether the file is a model, or the first part of one whose parts are all there. A projector or a draft head is none."""
    name = path.rsplit("/", 1)[-1].lower()
    if name.startswith("mmproj") or "imatrix" in name or not parts.is_possible(name):
        return False
    number, _ = parts.numbers(name) or (1, 1)
    return number == 1 and all(part in files for part in parts.all_of(path))


def _files(answer):
    """The GGUF files: the path, and what the hub says about it."""
    siblings = answer.get("siblings")
    found = {}
    for each in siblings if isinstance(siblings, list) else []:
        path = each.get("rfilename") if isinstance(each, dict) else None
        if isinstance(path, str) and path.lower().endswith(".gguf"):
            found[path] = each
    return found


def _matches(paths, wanted):
    """The paths that `wanted` names: the whole name (with or without the numbers of a part), otherwise a separate word of it,
    otherwise any piece of it."""
    low = parts.whole(wanted.lower())
    alone = re.compile(rf"(?<![a-z0-9]){re.escape(low)}(?![a-z0-9_])")
    key = lambda path: parts.whole(path.lower())
    named = lambda path: low in (key(path), key(path).rsplit("/", 1)[-1])
    for rule in (named, lambda path: alone.search(key(path)), lambda path: low in key(path)):
        chosen = [path for path in paths if rule(path)]
        if chosen:
            # A file is preferred to its parts.
            return [path for path in chosen if not parts.numbers(path) or parts.whole(path) not in chosen]
    return []


def _listed(files, paths):
    def line(path):
        sizes = [_size(files[part]) for part in parts.all_of(path)]
        size = None if None in sizes else sum(sizes)
        return f"\n  {plain(path)}" + (f"  {size / 1e6:.0f} MB" if size is not None else "")
    rest = len(paths) - _MAX_LISTED
    return "".join(line(path) for path in sorted(paths)[:_MAX_LISTED]) + (f"\n  and {rest} more" if rest > 0 else "")


def _choose(repository, files, wanted):
    paths = [path for path in files if _is_model(path, files)]
    if not paths and files:
        raise SetupError(f"{repository}: no GGUF file there is a whole model, or has all of its parts:"
                         + "".join(f"\n  {plain(path)}" for path in sorted(files)[:_MAX_LISTED]))
    if not paths:
        raise SetupError(f"{repository}: has no GGUF file; download a folder of safetensors with the hub's own tools, and "
                         "name its path (--target)")
    chosen = _matches(paths, wanted) if wanted else paths
    if len(chosen) == 1:
        return chosen[0]
    example = f"name one, as in {repository}:Q4_K_M"
    if not chosen:
        raise SetupError(f"{repository}: no GGUF file is called '{plain(wanted)}'; {example}:{_listed(files, paths)}")
    which = f"'{plain(wanted)}' may be any of these" if wanted else "has several GGUF files"
    raise SetupError(f"{repository}: {which}; {example}:{_listed(files, chosen)}")


def _size(entry):
    size = entry.get("size")
    return size if isinstance(size, int) and not isinstance(size, bool) and 0 <= size < 1 << 60 else None


def _digest(entry):
    stored = entry.get("lfs")
    return digest_of(stored.get("sha256") or stored.get("oid")) if isinstance(stored, dict) else None


def _answer(web, address, repository):
    with web.opened(address) as answer:
        if answer.status != 200:
            explain(answer, hub=True)
        text = answer.text(_MAX_BYTES)
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SetupError(f"{repository}: the hub's answer is not JSON") from error
    if not isinstance(parsed, dict):
        raise SetupError(f"{repository}: the hub's answer is not as expected")
    return parsed


def find(web, word):
    """The Source that OWNER/NAME, OWNER/NAME:FILE or OWNER/NAME:PIECE names; of a model in parts, the Source of each."""
    owner, name, wanted = _REPOSITORY.fullmatch(word).groups()
    repository = f"{owner}/{name}"
    answer = _answer(web, f"{endpoint()}/api/models/{repository}?blobs=true", repository)
    files = _files(answer)
    path = _choose(repository, files, wanted)
    # The commit, so that a download that continues on another day continues with the same file.
    commit = answer.get("sha")
    commit = commit if isinstance(commit, str) and re.fullmatch(r"[0-9a-f]{40,64}", commit) else "main"
    return [Source(name=part.rsplit("/", 1)[-1], title=f"{repository} on {origin(endpoint())[1]}",
                   address=f"{endpoint()}/{repository}/resolve/{commit}/{urllib.parse.quote(part)}", licence=_licence(answer),
                   bytes=_size(files[part]), sha256=_digest(files[part]), of_hub=True) for part in parts.all_of(path)]
