"""The files that instructions edit: those of packages, fetched once by sources.lock, and those in files/, which were written for
this.

Packages are fetched by their registries' own clients (pip, npm, go, cargo) and held against the lock file's hashes. Nothing of
them is installed, and no script of theirs runs.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
LOCK = HERE / "sources.lock"
sys.path.insert(0, str(HERE.parent.parent / "tools"))

from setup_steps import npm, programs, wheels  # noqa: E402
from setup_steps.common import SetupError, cache_directory, say  # noqa: E402


_PACKAGES = {"go": "golang-go", "cargo": "cargo"}


def _run(command, folder, **environment):
    run = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env={**os.environ, **environment}, check=False)
    if run.returncode != 0:
        raise SetupError(f"{' '.join(command)} failed:\n{(run.stderr or run.stdout).strip()[-2000:]}")
    return run.stdout


def _expect(name, found, wanted):
    if found != wanted:
        raise SetupError(f"{name}: its hash is {found}, not that of {LOCK.name}")


def _command_of(client):
    """A context with the words that start `client`; for pip none, because wheels.py starts it."""
    if client == "npm":
        return npm.command()
    if client == "pip":
        return contextlib.nullcontext([])
    program = programs.find(client)
    if not program:
        raise SetupError(f"{programs.why_missing(client)}; install the Debian package {_PACKAGES[client]}, or another {client}")
    return contextlib.nullcontext([program])


def _pip(_, name, version, digest, place):
    wheel = wheels.download(f"{name}=={version}", digest.partition(":")[2], title=None)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)  # writes nothing outside `place`


def _npm(command, name, version, digest, place):
    with tempfile.TemporaryDirectory() as folder:
        _run([*command, "pack", "--ignore-scripts", "--silent", f"{name}@{version}"], folder)
        archive, = pathlib.Path(folder).glob("*.tgz")
        _expect(name, "sha512:" + hashlib.sha512(archive.read_bytes()).hexdigest(), digest)
        with tarfile.open(archive) as tar:
            for member in tar.getmembers():
                path = pathlib.PurePosixPath(member.name)
                if not member.isfile() or path.is_absolute() or ".." in path.parts:
                    continue
                target = place / pathlib.Path(*path.parts[1:])
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(tar.extractfile(member).read())


def _go(command, name, version, digest, place):
    with tempfile.TemporaryDirectory() as folder:
        told = json.loads(_run([*command, "mod", "download", "-json", "-modcacherw", f"{name}@{version}"], folder,
                               GOMODCACHE=str(pathlib.Path(folder) / "mod"), GONOSUMDB="*", GOTOOLCHAIN="local"))
        _expect(name, told["Sum"], digest)
        shutil.copytree(told["Dir"], place, dirs_exist_ok=True)


def _cargo(command, name, version, digest, place):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "src").mkdir()
        (root / "src" / "lib.rs").touch()
        (root / "Cargo.toml").write_text('[package]\nname = "fetched"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n'
                                         f'{name} = {{ version = "={version}", default-features = false }}\n')
        # cargo starts the first rustc in PATH.
        path = os.pathsep.join([os.path.dirname(command[0]), os.environ.get("PATH", "")])
        _run([*command, "vendor", "--quiet", "vendor"], folder, PATH=path)
        vendored = root / "vendor" / name
        found = json.loads((vendored / ".cargo-checksum.json").read_text())["package"]
        _expect(name, f"sha256:{found}", digest)
        shutil.copytree(vendored, place, dirs_exist_ok=True)


CLIENTS = {"pip": _pip, "npm": _npm, "go": _go, "cargo": _cargo}


def read_lock(lock=LOCK):
    """[(client, name, version, hash)]"""
    lines = lock.read_text().splitlines()
    return [tuple(line.split()) for line in lines if line and not line.startswith("#")]


def directory(lock=LOCK):
    return cache_directory() / f"instructions-{hashlib.sha256(lock.read_bytes()).hexdigest()[:16]}"


def ensure(lock=LOCK):
    """Fetches what is not there. If a client is missing or fails, `why_missing` says why, and the others go on. A client's
    folder that exists is complete."""
    for client, fetch in CLIENTS.items():
        if (directory(lock) / client).is_dir():
            continue
        try:
            _fetch_all(client, fetch, lock)
        except SetupError as error:
            _reason(client, lock).write_text(str(error))
            say(f"instructions on files that {client} fetches are left out: {error}")
        else:
            _reason(client, lock).unlink(missing_ok=True)
    say("the instructions' files: ready")


def _reason(client, lock=LOCK):
    return directory(lock) / f"{client}.why"


def why_missing():
    """{client: why its files are not there}"""
    return {client: _reason(client).read_text() if _reason(client).exists() else "run `tools/setup.py instructions`"
            for client in CLIENTS if not (directory() / client).is_dir()}


def _fetch_all(client, fetch, lock):
    directory(lock).mkdir(parents=True, exist_ok=True)
    with _command_of(client) as command, tempfile.TemporaryDirectory(dir=directory(lock), prefix="partial-") as partial:
        made = pathlib.Path(partial) / client
        for _, name, version, digest in (entry for entry in read_lock(lock) if entry[0] == client):
            (made / name).mkdir(parents=True)
            fetch(command, name, version, digest, made / name)
        os.replace(made, directory(lock) / client)


def read(path):
    """The text of a task's file: "own/…" is one of files/, anything else one of a package, as "npm/ms/index.js"."""
    return locate(path).read_bytes().decode("utf-8")


def is_there(path):
    return locate(path).is_file()


def locate(path):
    client, _, rest = path.partition("/")
    return HERE / "files" / rest if client == "own" else directory() / path
