"""Checks the tools and libraries that come from the system, and installs them where it can (apt, as root).

Presence is checked with the compiler and the tools themselves, not with a package manager, so any distribution and any
manual installation will do.
"""

import dataclasses
import os
import re
import shutil
import subprocess
from typing import Optional

from . import programs
from .common import SetupError, say


@dataclasses.dataclass(frozen=True)
class Requirement:
    name: str
    least: str
    package: str  # Debian's and Ubuntu's
    command: Optional[str] = None  # its version is in the output of `command --version`
    header: Optional[str] = None  # with the header included, `version` expands to its version
    version: str = ""


BUILD_TOOLS = [
    Requirement("g++", "12", "g++", command=os.environ.get("CXX", "g++")),
    Requirement("CMake", "3.23", "cmake", command="cmake"),
    Requirement("Ninja", "1.10", "ninja-build", command="ninja"),
    Requirement("pip", "20.3", "python3-pip", command="pip"),
    Requirement("venv", "3.9", "python3-venv", command="venv"),
]
OPTIONAL_TOOLS = [Requirement("ccache", "3", "ccache", command="ccache")]
LINT_TOOLS = [
    Requirement("clang-format", "14", "clang-format", command="clang-format"),
    Requirement("clang-tidy", "14", "clang-tidy", command="clang-tidy"),
    Requirement("luacheck", "0.23", "lua-check", command="luacheck"),
    Requirement("ShellCheck", "0.7", "shellcheck", command="shellcheck"),
]
# Only some tests need these. Without them, these tests are skipped.
TEST_TOOLS = [
    Requirement("HAProxy", "2.2", "haproxy", command="haproxy"),
    Requirement("Go", "1.19", "golang-go", command="go"),
    Requirement("Rust", "1.63", "rustc", command="rustc"),
    Requirement("Cargo", "0.66", "cargo", command="cargo"),
]
DIST_TOOLS = [
    Requirement("zstd", "1.4", "zstd", command="zstd"),
    Requirement("dpkg-deb", "1.21", "dpkg", command="dpkg-deb"),
    Requirement("binutils", "2.30", "binutils", command="readelf"),
]
LIBRARIES = [
    Requirement("Boost", "1.74", "libboost-dev", header="boost/version.hpp",
                version="BOOST_VERSION / 100000 BOOST_VERSION / 100 % 1000"),
    Requirement("spdlog", "1.9", "libspdlog-dev", header="spdlog/version.h", version="SPDLOG_VER_MAJOR SPDLOG_VER_MINOR"),
    Requirement("nlohmann_json", "3.10", "nlohmann-json3-dev", header="nlohmann/json.hpp",
                version="NLOHMANN_JSON_VERSION_MAJOR NLOHMANN_JSON_VERSION_MINOR"),
    Requirement("CLI11", "2.1", "libcli11-dev", header="CLI/CLI.hpp", version="CLI11_VERSION_MAJOR CLI11_VERSION_MINOR"),
    Requirement("OpenSSL", "3.0", "libssl-dev", header="openssl/opensslv.h",
                version="OPENSSL_VERSION_MAJOR OPENSSL_VERSION_MINOR"),
    Requirement("xxHash", "0.8", "libxxhash-dev", header="xxhash.h", version="XXH_VERSION_MAJOR XXH_VERSION_MINOR"),
    Requirement("GoogleTest", "1.11", "libgtest-dev libgmock-dev", header="gmock/gmock.h"),
]


def _as_numbers(version):
    return tuple(int(part) for part in version.split("."))


def _command_version(command):
    """None if there is no such command, "" if it does not print its version."""
    if command == "pip":
        arguments = ["python3", "-m", "pip", "--version"]
    elif command == "venv":  # Debian splits ensurepip off; without it a virtual environment has no pip
        arguments = ["python3", "-c", "import ensurepip, venv, platform; print(platform.python_version())"]
    elif command in programs.VERSION_OPTIONS:
        return programs.version_of(command)
    else:
        arguments = [*command.split(), "--version"]
    if shutil.which(arguments[0]) is None:
        return None
    run = subprocess.run(arguments, capture_output=True, text=True)
    found = re.search(r"\b(\d+(\.\d+)+)\b", run.stdout) if run.returncode == 0 else None
    return found.group(1) if found else None


def library_versions(libraries):
    """Finds out in one run of the preprocessor which headers there are and which versions they state."""
    source = "".join(
        f"#if __has_include(<{library.header}>)\n#include <{library.header}>\n"
        f"redraft_found {index} {library.version}\n#endif\n"
        for index, library in enumerate(libraries))
    run = subprocess.run([*os.environ.get("CXX", "g++").split(), "-std=c++20", "-E", "-P", "-x", "c++", "-"],
                         input=source, capture_output=True, text=True)
    versions = {}
    for index, text in re.findall(r"^redraft_found (\d+)(.*)$", run.stdout, re.MULTILINE):
        numbers = _evaluate(text)
        versions[int(index)] = ".".join(str(number) for number in numbers)
    return versions


def _evaluate(text):
    """The numbers in a macro expansion: `107400 / 100000 107400 / 100 % 1000` is [1, 74]."""
    numbers = []
    operators = {"/": lambda a, b: a // b, "%": lambda a, b: a % b}
    pending = None
    for part in text.split():
        if part in operators:
            pending = operators[part]
        elif pending:
            numbers[-1] = pending(numbers[-1], int(part))
            pending = None
        else:
            numbers.append(int(part))
    return numbers


def _problem(requirement, version):
    """The problem with a requirement, or None."""
    if version is None:
        return f"{requirement.name} >= {requirement.least} is missing"
    if version and _as_numbers(version) < _as_numbers(requirement.least):
        return f"{requirement.name} is {version}, but at least {requirement.least} is needed"
    return None


def find_problems(requirements):
    """[(requirement, problem)] for those that are missing or too old."""
    found = [(each, _command_version(each.command)) for each in requirements if each.command]
    libraries = [each for each in requirements if each.header]
    if libraries:
        versions = library_versions(libraries) if _command_version(os.environ.get("CXX", "g++")) else {}
        found += [(each, versions.get(index)) for index, each in enumerate(libraries)]
    problems = [(each, _problem(each, version)) for each, version in found]
    return [(each, problem) for each, problem in problems if problem]


def _apt_install(packages):
    say(f"installing {' '.join(packages)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", *packages]):
        run = subprocess.run(["apt-get", *arguments], env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode != 0:
            raise SetupError(f"`apt-get {' '.join(arguments)}` failed:\n{run.stdout[-3000:]}")


def ensure_tools(requirements, optional=()):
    """Installs what is missing of `requirements` and `optional` if it can; only the former must be there in the end."""
    problems = find_problems([*requirements, *optional])
    if not problems:
        return
    packages = sorted({package for each, _ in problems for package in each.package.split()})
    if shutil.which("apt-get") and os.geteuid() == 0:
        try:
            _apt_install(packages)
        except SetupError:
            if find_problems(requirements):
                raise
        problems = find_problems(requirements)
    problems = [(each, problem) for each, problem in problems if each not in optional]
    if problems:
        raise SetupError(_explain(problems))


def _explain(problems):
    lines = [f"  {problem}" for _, problem in problems]
    packages = sorted({package for each, _ in problems for package in each.package.split()})
    if shutil.which("apt-get"):
        advice = f"Install them as root: apt-get install {' '.join(packages)}"
    else:
        advice = ("Install them with your system's package manager; their names on Debian are "
                  f"{' '.join(packages)}.")
    return ("\n".join(["the system lacks what redraft is built from:", *lines, advice]) +
            "\nTo build with libraries kept elsewhere, run cmake yourself with -DCMAKE_PREFIX_PATH=….")


def ensure_core():
    """Ensures only what the preset `core` needs."""
    ensure_tools([each for each in BUILD_TOOLS if each.name not in {"pip", "venv"}] +
            [each for each in LIBRARIES if each.name in {"nlohmann_json", "OpenSSL", "xxHash", "GoogleTest"}], OPTIONAL_TOOLS)
    say("system packages: ready")


def ensure_build():
    ensure_tools(BUILD_TOOLS + LIBRARIES, OPTIONAL_TOOLS)
    say("system packages: ready")


def ensure_lint():
    ensure_tools(LINT_TOOLS)
    say("clang-format, clang-tidy, luacheck and ShellCheck: ready")


def ensure_tests():
    ensure_tools([], TEST_TOOLS)


def ensure_dist():
    ensure_tools(DIST_TOOLS)
    say("tools that pack: ready")
