"""Finds a file of a model in a repository of Hugging Face's hub, or of a compatible server (HF_ENDPOINT)."""

import json
import os
import re
import urllib.parse
from dataclasses import dataclass
from typing import Optional

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


def _is_part(path):
    """Whether the file is a part of a split model, or belongs to a model (a projector, a draft head) without being one."""
    name = path.rsplit("/", 1)[-1].lower()
    return bool(re.search(r"-\d{5}-of-\d{5}\.gguf$", name)) or name.startswith("mmproj") or "imatrix" in name


def _files(answer):
    """The GGUF files that are whole models: the path, and what the hub says about it."""
    siblings = answer.get("siblings")
    found = {}
    for each in siblings if isinstance(siblings, list) else []:
        path = each.get("rfilename") if isinstance(each, dict) else None
        if isinstance(path, str) and path.lower().endswith(".gguf"):
            found[path] = each
    return found


def _matches(paths, wanted):
    """The paths that `wanted` names: the whole name, otherwise a separate word of it, otherwise any part of it."""
    low = wanted.lower()
    alone = re.compile(rf"(?<![a-z0-9]){re.escape(low)}(?![a-z0-9_])")
    named = lambda path: low in (path.lower(), path.rsplit("/", 1)[-1].lower())
    for rule in (named, lambda path: alone.search(path.lower()), lambda path: low in path.lower()):
        chosen = [path for path in paths if rule(path)]
        if chosen:
            return chosen
    return []


def _listed(files, paths):
    def line(path):
        size = _size(files[path])
        return f"\n  {plain(path)}" + (f"  {size / 1e6:.0f} MB" if size is not None else "")
    rest = len(paths) - _MAX_LISTED
    return "".join(line(path) for path in sorted(paths)[:_MAX_LISTED]) + (f"\n  and {rest} more" if rest > 0 else "")


def _choose(repository, files, wanted):
    paths = [path for path in files if not _is_part(path)]
    if not paths and files:
        raise SetupError(f"{repository}: has GGUF files only in parts, which redraft does not read:{_listed(files, list(files))}")
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
    """The Source that OWNER/NAME, OWNER/NAME:FILE or OWNER/NAME:PART names."""
    owner, name, wanted = _REPOSITORY.fullmatch(word).groups()
    repository = f"{owner}/{name}"
    answer = _answer(web, f"{endpoint()}/api/models/{repository}?blobs=true", repository)
    files = _files(answer)
    path = _choose(repository, files, wanted)
    # The commit, so that a download that continues on another day continues with the same file.
    commit = answer.get("sha")
    commit = commit if isinstance(commit, str) and re.fullmatch(r"[0-9a-f]{40,64}", commit) else "main"
    return Source(name=path.rsplit("/", 1)[-1], title=f"{repository} on {origin(endpoint())[1]}",
                  address=f"{endpoint()}/{repository}/resolve/{commit}/{urllib.parse.quote(path)}", licence=_licence(answer),
                  bytes=_size(files[path]), sha256=_digest(files[path]), of_hub=True)
