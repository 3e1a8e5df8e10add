#!/usr/bin/env python3
"""Lists redraft's dependencies with versions and licences, from the lock files that builds use.

    tools/dependencies.py --write         writes docs/dependencies.md
    tools/dependencies.py --spdx FILE     writes an SPDX 2.3 document; libraries of the system with this machine's versions

A lock file that names something without a licence here is an error: look the licence up and add it.
"""

import argparse
import base64
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from setup_steps import system_packages  # noqa: E402

DOCUMENT = ROOT / "docs" / "dependencies.md"
LOCKS = ROOT / "tools" / "locks"
GRAMMARS = LOCKS / "grammars" / "package-lock.json"
JINJA = LOCKS / "jinja" / "package-lock.json"
EXTENSION = ROOT / "editors" / "vscode" / "package-lock.json"
BUNDLED = ("vscode-languageclient", "diff")  # imported by the extension's sources; the rest of its lock file builds and
                                             # checks it

# Locks of npm and of models have licences themselves.
LICENCES = {
    "torch": "BSD-3-Clause",
    "Boost": "BSL-1.0",
    "spdlog": "MIT",
    "nlohmann_json": "MIT",
    "CLI11": "BSD-3-Clause",
    "OpenSSL": "Apache-2.0",
    "xxHash": "BSD-2-Clause",
    "GoogleTest": "BSD-3-Clause",
}
NVIDIA = "LicenseRef-NVIDIA"
NVIDIA_TEXT = "The licence agreement for NVIDIA's CUDA toolkit lies in each of these wheels."
LIBGOMP = "GPL-3.0-or-later WITH GCC-exception-3.1"
IN_TESTS = ("GoogleTest",)
SYSTEM, TESTS, TORCH = "library of the system", "tests", "libtorch and what it is linked against"
GRAMMAR, ENGINE = "parser, linked in", "template engine of llama.cpp, linked in"
IN_EXTENSION, MODEL = "VS Code extension", "model, fetched when asked for"


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    version: str
    licence: str  # an SPDX expression
    use: str
    purl: str = ""  # a package URL; empty where the distribution decides
    checksum: tuple = ()  # (algorithm as SPDX writes it, hex digits)


class Problem(Exception):
    pass


def licence_of(name):
    if name.startswith("nvidia-"):
        return NVIDIA
    if name not in LICENCES:
        raise Problem(f"{name} has no licence in tools/dependencies.py. Look it up and add it")
    return LICENCES[name]


def wheels(lock, use):
    parts = {}
    for line in (LOCKS / lock).read_text().splitlines():
        found = re.fullmatch(r'([\w.-]+)==(\S+) ; platform_machine == "(\w+)" --hash=sha256:(\w{64})', line)
        if found and found[3] == "x86_64":
            name, version, _, sha256 = found.groups()
            parts[name] = Part(name, version, licence_of(name), use, f"pkg:pypi/{name}@{version}", ("SHA256", sha256))
        elif not found and line.strip() and not line.startswith("#"):
            raise Problem(f"{lock}: cannot read: {line}")
    return list(parts.values())


def npm_part(place, entry, use):
    name = place.rpartition("node_modules/")[2]
    if not entry.get("license"):
        raise Problem(f"{name}: its lock file has no licence")
    algorithm, _, digest = entry["integrity"].partition("-")
    purl = f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"
    return Part(name, entry["version"], entry["license"], use, purl,
                (algorithm.upper(), base64.b64decode(digest).hex()))


def linked_in(lock, use):
    packages = json.loads(lock.read_text())["packages"]
    return [npm_part(f"node_modules/{name}", packages[f"node_modules/{name}"], use)
            for name in sorted(packages[""]["dependencies"])]


def bundled():
    """The extension's bundled packages: BUNDLED and their dependencies, resolved like Node does."""
    packages = json.loads(EXTENSION.read_text())["packages"]
    found, waiting = {}, [("", name) for name in BUNDLED]
    while waiting:
        user, name = waiting.pop()
        # Upwards from the user's own node_modules.
        while f"{user}/node_modules/{name}".lstrip("/") not in packages:
            if not user:
                raise Problem(f"{name} is not in {EXTENSION.relative_to(ROOT)}")
            user = user.rpartition("node_modules/")[0].rstrip("/")
        place = f"{user}/node_modules/{name}".lstrip("/")
        if place not in found:
            found[place] = packages[place]
            waiting += [(place, each) for each in packages[place].get("dependencies", {})]
    return [npm_part(place, entry, IN_EXTENSION) for place, entry in sorted(found.items())]


def models():
    return [Part(each["name"], each["file"], each["licence"], MODEL,
                 checksum=("SHA256", each["sha256"])) for each in json.loads((LOCKS / "models.lock").read_text())["models"]]


def libraries(on_this_machine=False):
    versions = dict.fromkeys(range(len(system_packages.LIBRARIES)))
    if on_this_machine:
        versions = system_packages.library_versions(system_packages.LIBRARIES)
    return [Part(each.name, (versions.get(number) if on_this_machine else None) or f"{each.least} or newer",
                 licence_of(each.name), TESTS if each.name in IN_TESTS else SYSTEM)
            for number, each in enumerate(system_packages.LIBRARIES)]


def of_others():
    """Parts of the libraries above: spdlog uses fmt, and torch's wheel contains libgomp."""
    return [Part("fmt", "8.1 or newer", "MIT", SYSTEM), Part("libgomp", "of torch's wheel", LIBGOMP, TORCH)]


def all_parts(on_this_machine=False):
    return [*libraries(on_this_machine), *of_others(), *wheels("libtorch.lock", TORCH),
            *linked_in(GRAMMARS, GRAMMAR), *linked_in(JINJA, ENGINE), *bundled(), *models()]


def table():
    rows = "\n".join(f"| {part.name} | {part.version} | {part.licence} | {part.use} |" for part in all_parts())
    return f"""# Dependencies

Written by `tools/dependencies.py --write` from the lock files; `tools/dependencies.py --spdx FILE`
writes the same as an SPDX document, with digests. Compilers, linters and what else only builds and
checks is not part of what runs, and not listed.

`{NVIDIA}`: libtorch's CPU library was linked against CUDA's runtime libraries; they need
no GPU. {NVIDIA_TEXT}

| Name | Version | Licence | What for |
|---|---|---|---|
{rows}
"""


def spdx_package(number, part):
    package = {
        "SPDXID": f"SPDXRef-{number}",
        "name": part.name,
        "versionInfo": part.version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": part.licence,
        "licenseDeclared": part.licence,
        "copyrightText": "NOASSERTION",
        "comment": part.use,
    }
    if part.checksum:
        package["checksums"] = [{"algorithm": part.checksum[0], "checksumValue": part.checksum[1]}]
    if part.purl:
        package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                    "referenceLocator": part.purl}]
    return package


def relationship(package):
    ours, other = "SPDXRef-0", package["SPDXID"]
    if package["comment"] == TESTS:
        return {"spdxElementId": other, "relationshipType": "TEST_DEPENDENCY_OF", "relatedSpdxElement": ours}
    return {"spdxElementId": ours, "relationshipType": "DEPENDS_ON", "relatedSpdxElement": other}


def created():
    """The current time, or SOURCE_DATE_EPOCH for a reproducible document."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.timezone.utc)
    return datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch else now


def spdx():
    version = re.search(r"project\(\s*redraft\s+VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    redraft = Part("redraft", version, "Apache-2.0", "this program")
    packages = [spdx_package(number, part) for number, part in enumerate([redraft, *all_parts(True)])]
    digest = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"redraft-{version}",
        "documentNamespace": f"urn:redraft:spdx:{version}:{digest[:32]}",
        "creationInfo": {"created": created().strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: redraft-tools-dependencies"]},
        "hasExtractedLicensingInfos": [{"licenseId": NVIDIA, "extractedText": NVIDIA_TEXT}],
        "packages": packages,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-0"},
            *(relationship(package) for package in packages[1:])],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write {DOCUMENT.relative_to(ROOT)}")
    parser.add_argument("--spdx", metavar="FILE", type=pathlib.Path, help="write an SPDX document there")
    options = parser.parse_args()
    if not options.write and not options.spdx:
        parser.error("give --write or --spdx FILE")
    try:
        if options.write:
            DOCUMENT.write_text(table(), encoding="utf-8")
        if options.spdx:
            options.spdx.write_text(json.dumps(spdx(), indent=1) + "\n", encoding="utf-8")
    except (Problem, OSError, subprocess.SubprocessError) as problem:
        sys.exit(f"tools/dependencies.py: {problem}")


if __name__ == "__main__":
    main()
