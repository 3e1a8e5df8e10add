"""Set-up without a network: downloads are replaced by wheels made here."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

from redraft_process import RedraftCase, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench")]

import setup  # noqa: E402
from setup_steps import (aarch64, grammars, jinja, libtorch, models, npm, optional, programs, system_packages,  # noqa: E402
                         test_environment, wheels)
from setup_steps.common import LOCKS, SetupError, machine  # noqa: E402


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        environment = {"XDG_DATA_HOME": str(self.folder / "data"), "XDG_CACHE_HOME": str(self.folder / "cache")}
        for patch in (mock.patch.dict(os.environ, environment), contextlib.redirect_stdout(io.StringIO())):
            patch.__enter__()
            self.addCleanup(patch.__exit__, None, None, None)


class Libtorch(InFolder):
    def setUp(self):
        super().setUp()
        patch = mock.patch.object(wheels, "download", self.download)
        patch.start()
        self.addCleanup(patch.stop)
        self.members = [*libtorch.libraries(machine()), "torch/include/ATen/ATen.h", "torch/lib/libtorch_cuda.so",
                        "torch-2.11.0.dist-info/licenses/LICENSE", "torch/__init__.py"]

    def download(self, requirement, _sha256, _title, _architecture):
        place = self.folder / requirement
        place.mkdir(exist_ok=True)
        with zipfile.ZipFile(place / "any.whl", "w") as archive:
            for member in self.members if "torch==" in requirement else []:
                archive.writestr(member, member)
        return place / "any.whl"

    def test_only_what_is_needed_is_unpacked(self):
        libtorch.ensure()
        unpacked = {path.relative_to(libtorch.directory()).as_posix()
                    for path in libtorch.directory().rglob("*") if path.is_file()}
        self.assertEqual(unpacked, {*libtorch.libraries(machine()), "torch/include/ATen/ATen.h",
                                    "licences/torch-2.11.0/LICENSE"})

    def test_each_architecture_has_its_own(self):
        self.members += [name for name in libtorch.libraries("aarch64") if name not in self.members]
        libtorch.ensure("x86_64")
        libtorch.ensure("aarch64")
        self.assertFalse((libtorch.directory("x86_64") / "torch/lib/libarm_compute.so").exists())
        self.assertTrue((libtorch.directory("aarch64") / "torch/lib/libarm_compute.so").exists())

    def test_a_wheel_without_the_libraries_leaves_nothing(self):
        self.members.remove("torch/lib/libc10.so")
        with self.assertRaisesRegex(SetupError, "libc10.so"):
            libtorch.ensure()
        self.assertEqual([path.name for path in libtorch.directory().parent.iterdir()], [])


class WithNpm(InFolder):
    """With an npm that unpacks what the lock file names, or fails."""

    also = []  # more files of each package, in its folder cpp

    def setUp(self):
        super().setUp()
        self.calls = self.folder / "calls"
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        self.npm = bin_folder / "npm"
        self.write_npm("11.0.0", f"exec {sys.executable} {self.write_unpacker()}")
        patch = mock.patch.dict(os.environ, {"PATH": f"{bin_folder}:{os.environ['PATH']}"})
        patch.start()
        self.addCleanup(patch.stop)

    def write_npm(self, version, then):
        self.npm.write_text(f'#!/bin/sh\n[ "$1" = --version ] && {{ echo {version}; exit; }}\n'
                            f'echo "$@" >> {self.calls}\n{then}\n')
        self.npm.chmod(0o755)

    def write_unpacker(self):
        unpacker = self.folder / "unpack.py"
        unpacker.write_text(
            "import json, pathlib\n"
            "for name in json.load(open('package-lock.json'))['packages']:\n"
            "    package = pathlib.Path(name)\n"
            "    for path in ['src/parser.c', 'src/tree_sitter/parser.h', 'src/grammar.json', 'LICENSE', 'binding.gyp',\n"
            "                 'vendor/tree-sitter/lib/src/lib.c', 'php/src/parser.c', 'typescript/src/parser.c',\n"
            "                 'common/scanner.h', 'tree-sitter-markdown/src/parser.c', 'tsx/src/parser.c',\n"
            f"                 *{[f'cpp/{name}' for name in self.also]}]:\n"
            "        (package / path).parent.mkdir(parents=True, exist_ok=True)\n"
            "        (package / path).write_text(name)\n")
        return unpacker

    def left(self):
        return [path.name for path in (self.folder / "data" / "redraft").glob("*")]


class Grammars(WithNpm):
    def test_sources_and_licences_are_kept_once(self):
        grammars.ensure()
        grammars.ensure()
        kept = {path.relative_to(grammars.directory()).as_posix()
                for path in grammars.directory().rglob("*") if path.is_file()}
        self.assertTrue({"tree-sitter/vendor/tree-sitter/lib/src/lib.c", "tree-sitter-c/src/parser.c",
                         "tree-sitter-c/src/tree_sitter/parser.h", "tree-sitter-lua/LICENSE",
                         "tree-sitter-php/common/scanner.h", "tree-sitter-typescript/tsx/src/parser.c"} <= kept)
        self.assertFalse({path for path in kept if path.endswith((".json", ".gyp"))})
        self.assertEqual(self.left(), [grammars.directory().name])
        calls = self.calls.read_text().splitlines()
        self.assertEqual(len(calls), 1)
        self.assertIn("--ignore-scripts", calls[0])

    def test_a_failure_leaves_nothing_and_says_why(self):
        self.write_npm("11.0.0", "echo no network; exit 1")
        with self.assertRaisesRegex(SetupError, "no network"):
            grammars.ensure()
        self.assertEqual(self.left(), [])

    def test_an_old_npm_is_not_used(self):
        self.assertTrue(npm._works(["npm"]))
        self.write_npm("6.14.0", "exit 1")
        self.assertFalse(npm._works(["npm"]))
        self.assertFalse(npm._works(["no-such-npm"]))

    def test_the_lock_files_pin_every_package_and_name_no_place(self):
        for lock in (grammars._LOCK, jinja._LOCK):
            packages = json.loads((lock / "package-lock.json").read_text())["packages"]
            for name, package in packages.items():
                if name:
                    self.assertRegex(package["integrity"], "^sha512-", name)
                    self.assertNotIn("resolved", package)


class Jinja(WithNpm):
    also = [*jinja.FILES, "common/chat.cpp"]

    def test_only_the_engine_is_kept(self):
        jinja.ensure()
        jinja.ensure()
        kept = {path.relative_to(jinja.directory()).as_posix()
                for path in jinja.directory().rglob("*") if path.is_file()}
        self.assertEqual(kept, set(jinja.FILES))
        self.assertEqual(self.left(), [jinja.directory().name])
        self.assertEqual(len(self.calls.read_text().splitlines()), 1)

    def test_a_package_without_it_leaves_nothing(self):
        self.also = ["LICENSE"]
        self.write_unpacker()
        with self.assertRaisesRegex(SetupError, "common/jinja/lexer.cpp"):
            jinja.ensure()
        self.assertEqual(self.left(), [])


class Architectures(InFolder):
    def test_every_wheel_is_locked_for_each(self):
        for lock in LOCKS.glob("*.lock"):
            if lock.name == "models.lock":
                continue
            entries = {name: wheels.read_lock(lock, name) for name in ["x86_64", "aarch64"]}
            self.assertEqual(*([requirement for requirement, _ in each] for each in entries.values()), lock.name)
            self.assertFalse(set(entries["x86_64"]) & set(entries["aarch64"]), lock.name)

    def test_another_is_refused(self):
        with self.assertRaisesRegex(SetupError, "node.lock names no wheel for riscv64.*only x86-64 and AArch64"):
            wheels.read_lock(LOCKS / "node.lock", "riscv64")

    def test_pip_is_asked_for_wheels_of_that_machine(self):
        with mock.patch("subprocess.run") as run_pip, self.assertRaises(SetupError):
            run_pip.return_value.stdout = ""
            wheels._pip_download("thing==1", "0" * 64, str(self.folder), "aarch64")
        command = run_pip.call_args.args[0]
        tags = [after for option, after in zip(command, command[1:]) if option == "--platform"]
        self.assertIn("manylinux_2_28_aarch64", tags)
        self.assertFalse([tag for tag in tags if "x86" in tag])


class LibrariesOfACrossBuild(InFolder):
    """With an apt that makes packages; each holds one file, named after it."""

    DEPENDS = {"libspdlog-dev": ["libspdlog1", "libfmt-dev"], "libfmt-dev": ["libfmt9"], "libfmt9": ["libc6", "libstdc++6"],
               "libc6": ["libcrypt1"]}

    def setUp(self):
        super().setUp()
        tools = self.folder / "bin"
        tools.mkdir()
        self.calls = self.folder / "calls"
        scripts = {
            "apt-get": "for word; do case $word in download) take=1;; -*|*=*) ;; *) [ $take ] && touch $word.deb;; esac; done",
            "apt-cache": f"exec {sys.executable} {self.write_dependencies()} \"$@\"",
            "dpkg-deb": 'mkdir -p "$3" && touch "$3/$(basename "$2" .deb)"',
        }
        for name, script in scripts.items():
            (tools / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {self.calls}\n{script}\n')
            (tools / name).chmod(0o755)
        for patch in (mock.patch.dict(os.environ, {"PATH": f"{tools}:{os.environ['PATH']}"}),
                      mock.patch.object(aarch64, "machine", lambda: "x86_64"),
                      mock.patch.object(system_packages, "ensure_tools"), mock.patch.object(libtorch, "ensure")):
            patch.start()
            self.addCleanup(patch.stop)

    def write_dependencies(self):
        script = self.folder / "depends.py"
        script.write_text(f"import sys\nfor name in sys.argv:\n    for other in {self.DEPENDS!r}.get(name, []):\n"
                          "        print('  Depends:', other)\n")
        return script

    def test_are_unpacked_once_with_what_they_need_but_the_compilers_own(self):
        aarch64.ensure()
        aarch64.ensure()
        unpacked = {path.name for path in aarch64.directory().iterdir()}
        self.assertTrue({"libspdlog-dev", "libspdlog1", "libfmt-dev", "libfmt9", "libssl-dev"} <= unpacked, unpacked)
        self.assertFalse({"libc6", "libcrypt1", "libstdc++6"} & unpacked)
        self.assertEqual([path.name for path in aarch64.directory().parent.iterdir()], ["sysroot-aarch64"])
        calls = self.calls.read_text().splitlines()
        self.assertEqual(sum(" update" in call for call in calls), 1)
        for call in calls:
            if call.startswith("apt"):
                self.assertIn("-o APT::Architectures=arm64", call)
                self.assertIn("-o Dir::State=", call)  # never the machine's own

    def test_other_packages_than_those_unpacked_are_fetched(self):
        aarch64.ensure()
        (aarch64.directory() / "contents").write_text("of another release")
        (aarch64.directory() / "old").touch()
        aarch64.ensure()
        self.assertFalse((aarch64.directory() / "old").exists())

    def test_a_failure_leaves_nothing_and_says_why(self):
        (self.folder / "bin" / "apt-get").write_text("#!/bin/sh\necho no such architecture >&2; exit 100\n")
        with self.assertRaisesRegex(SetupError, "apt-get update.*arm64(.|\n)*no such architecture"):
            aarch64.ensure()
        self.assertEqual(list(aarch64.directory().parent.iterdir()), [])

    def test_an_aarch64_machine_needs_none(self):
        with mock.patch.object(aarch64, "machine", lambda: "aarch64"):
            with self.assertRaisesRegex(SetupError, "make test"):
                aarch64.ensure()


class StepsForSomeTests(InFolder):
    """Of the set-up of `make test`: three steps, of which one fails."""

    def setUp(self):
        super().setUp()
        self.ran = []
        self.failing = {"tests"}
        steps = {name: (lambda name=name: self.step(name), "") for name in ("system", "models", "tests", "instructions")}
        patch = mock.patch.dict(setup.STEPS, steps)
        patch.start()
        self.addCleanup(patch.stop)

    def step(self, name):
        self.ran.append(name)
        if name in self.failing:
            raise SetupError(f"no network for {name}")

    def set_up(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()) as output:
            code = setup.main(list(arguments))
        return code, output.getvalue() + errors.getvalue()

    def test_a_failure_is_reported_and_the_other_steps_run(self):
        code, output = self.set_up("--for-tests", "models", "tests", "instructions")
        self.assertEqual((code, self.ran), (0, ["models", "tests", "instructions"]))
        self.assertIn("tests FAILED; the tests that need it will be skipped: no network for tests", output)
        self.assertEqual(optional.failed_steps(), {"tests": "no network for tests"})

    def test_the_next_success_removes_the_reason(self):
        self.set_up("--for-tests", "tests")
        self.failing.clear()
        self.set_up("--for-tests", "tests")
        self.assertEqual(optional.failed_steps(), {})

    def test_a_step_that_all_need_stops_the_set_up(self):
        self.failing = {"system"}
        code, output = self.set_up("--for-tests", "system", "models")
        self.assertEqual((code, self.ran), (1, ["system"]))
        self.assertIn("error: no network for system", output)

    def test_without_the_option_every_failure_stops_the_set_up(self):
        self.assertEqual(self.set_up("tests", "instructions")[0], 1)
        self.assertEqual((self.ran, optional.failed_steps()), (["tests"], {}))

    def test_packages_of_node_are_installed_though_those_of_python_fail(self):
        with mock.patch.object(system_packages, "ensure_tests"), \
                mock.patch.object(test_environment, "ensure_environment", side_effect=SetupError("no venv")), \
                mock.patch.object(test_environment, "_ensure_node_packages") as node:
            with self.assertRaisesRegex(SetupError, "no venv"):
                test_environment.ensure()
        node.assert_called_once()

    def test_a_venv_that_ends_the_program_is_a_failure_of_the_step(self):
        with mock.patch.object(test_environment.venv, "create", side_effect=SystemExit(1)):
            with self.assertRaisesRegex(SetupError, "install python3-venv"):
                test_environment._install(self.folder / "venv", [])


class ProgramsOfTests(InFolder):
    """rustup's proxies without a toolchain, and what takes their place."""

    def setUp(self):
        super().setUp()
        self.first, self.second = self.folder / "proxies", self.folder / "bin"
        patch = mock.patch.dict(os.environ, {"PATH": f"{self.first}:{self.second}"})
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, folder, name, script):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
        return str(folder / name)

    def write_proxy(self):
        return self.write(self.first, "cargo", "echo 'error: no default toolchain' >&2; exit 1")

    def test_a_proxy_without_a_toolchain_counts_as_missing(self):
        proxy = self.write_proxy()
        self.assertIsNone(programs.find("cargo"))
        self.assertIsNone(programs.version_of("cargo"))
        self.assertEqual(programs.why_missing("cargo"), f"{proxy} does not work")
        self.assertEqual(programs.why_missing("go"), "there is no go")
        cargo, = [each for each in system_packages.TEST_TOOLS if each.command == "cargo"]
        self.assertEqual([problem for _, problem in system_packages.find_problems([cargo])], ["Cargo >= 0.66 is missing"])

    def test_one_that_works_is_found_behind_it(self):
        self.write_proxy()
        works = self.write(self.second, "cargo", "echo cargo 1.65.0")
        self.assertEqual((programs.find("cargo"), programs.version_of("cargo")), (works, "1.65.0"))
        self.assertEqual(programs.working_path(["cargo", "go"]), str(self.second))
        self.assertEqual(programs.working_path(["go"]), os.environ["PATH"])

    def test_go_is_asked_in_its_own_way(self):
        self.write(self.first, "go", '[ "$1" = version ] && echo go version go1.19.8 linux/amd64')
        self.assertEqual(programs.version_of("go"), "1.19.8")

    def test_the_files_of_the_other_clients_are_fetched(self):
        from instructions import sources
        self.write_proxy()
        self.write(self.second, "go", "echo go version go1.19.8")
        commands = {}
        fetched = {client: lambda command, *_, client=client: commands.update({client: command}) for client in sources.CLIENTS}
        with mock.patch.dict(sources.CLIENTS, fetched), mock.patch.object(npm, "command") as unpacked:
            unpacked.return_value = contextlib.nullcontext(["npm"])
            sources.ensure()
            missing = sources.why_missing()
            self.assertEqual(list(missing), ["cargo"])
            self.assertIn("does not work; install the Debian package cargo", missing["cargo"])
            unpacked.assert_called_once()  # for all of its packages
            works = self.write(self.second, "cargo", "echo cargo 1.65.0")
            sources.ensure()
            self.assertEqual((sources.why_missing(), commands["cargo"]), ({}, [works]))
            unpacked.assert_called_once()


class SystemPackages(unittest.TestCase):
    NEW = system_packages.Requirement("Thing", "1.10", "thing-dev", header="redraft/no_such_thing.h")

    def test_what_is_missing_is_named_with_its_package(self):
        with mock.patch.object(os, "geteuid", lambda: 1000):
            with self.assertRaises(SetupError) as caught:
                system_packages.ensure_tools([self.NEW])
        self.assertIn("Thing >= 1.10 is missing", str(caught.exception))
        self.assertIn("thing-dev", str(caught.exception))

    def test_versions_are_compared_as_numbers(self):
        self.assertIsNone(system_packages._problem(self.NEW, "1.10"))
        self.assertIsNone(system_packages._problem(self.NEW, "1.11.2"))
        self.assertIn("1.9, but at least 1.10", system_packages._problem(self.NEW, "1.9"))

    def test_macro_arithmetic(self):
        self.assertEqual(system_packages._evaluate("107400 / 100000 107400 / 100 % 1000"), [1, 74])

    def test_the_compiler_is_asked_for_headers_and_versions(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "thing.h").write_text("#define THING_MAJOR 3\n#define THING_MINOR 4\n")
            thing = system_packages.Requirement("Thing", "3.5", "thing-dev", header="thing.h",
                                                version="THING_MAJOR THING_MINOR")
            with mock.patch.dict(os.environ, {"CPLUS_INCLUDE_PATH": folder}):
                self.assertEqual(system_packages.library_versions([self.NEW, thing]), {1: "3.4"})
                self.assertEqual([problem for _, problem in system_packages.find_problems([thing])],
                                 ["Thing is 3.4, but at least 3.5 is needed"])


class LockFile(RedraftCase):
    def test_names_the_models_that_the_program_knows(self):
        with tempfile.TemporaryDirectory() as empty:
            listing = self.assert_succeeds(run("models", "list", "--format", "json",
                                               environment={"XDG_DATA_HOME": empty}))
        known = {model["name"]: (model["bytes"], model["sha256"], os.path.basename(model["file"]))
                 for model in json.loads(listing)}
        locked = {model["name"]: (model["bytes"], model["sha256"], model["file"]) for model in models.known_models()}
        self.assertEqual(known, locked)

    def test_parts_add_up(self):
        for model in models.known_models():
            self.assertEqual(sum(part["bytes"] for part in model["parts"]), model["bytes"])


if __name__ == "__main__":
    unittest.main()
