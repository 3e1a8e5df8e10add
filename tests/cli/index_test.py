"""redraft index: the index of a folder, built, refreshed and found again; no weights are read."""

import fcntl
import json
import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

from redraft_process import PROGRAM, TIME_LIMIT, RedraftCase, run

TARGET = ("--target", "qwen2.5-coder-0.5b")  # only its tokenizer


class Index(RedraftCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.cache = pathlib.Path(scratch.name) / "cache"
        self.folder = pathlib.Path(scratch.name) / "work"
        self.write("a.py", "def alpha():\n    return 1\n")
        self.write("sub/b.ts", "export const beta = 2;\n")
        self.write(".gitignore", "build/\n")
        self.write("build/c.py", "gamma = 3\n")
        self.write(".env", "KEY=secret\n")

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def index(self, *arguments, folder=None):
        return run("index", str(folder or self.folder), *TARGET, *arguments,
                   environment={"XDG_CACHE_HOME": str(self.cache)})

    def statistics(self, **chosen):
        return json.loads(self.assert_succeeds(self.index("--format", "json", **chosen)))

    def test_builds_and_refreshes(self):
        first = self.statistics()
        self.assertEqual(first["languages"], {"other": 1, "python": 1, "typescript": 1})
        self.assertEqual((first["files"], first["read_files"]), (3, 3))
        self.assertEqual(first["skipped"]["a secret"], 1)
        self.assertGreater(first["tokens"], 15)
        self.write("a.py", "def alpha():\n    return 100\n")
        (self.folder / "sub/b.ts").unlink()
        second = self.statistics()
        self.assertEqual((second["files"], second["read_files"], second["removed_files"]), (2, 1, 1))
        self.assertEqual(second["index"], first["index"])
        self.assertEqual(self.statistics()["read_files"], 0)

    def test_says_what_it_did(self):
        text = self.assert_succeeds(self.index())
        for part in ["index     " + str(self.cache), "python 1", "3 new or changed files", "bytes a token"]:
            self.assertIn(part, text)

    def test_is_for_its_owner_alone(self):
        folder = pathlib.Path(self.statistics()["index"])
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        for file in folder.iterdir():
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file)

    def remove(self, *arguments):
        return run("index", *arguments, environment={"XDG_CACHE_HOME": str(self.cache)})

    def indexes(self):
        return sorted((self.cache / "redraft/index").iterdir())

    def test_forgets_a_folder_and_those_in_it(self):
        kept = pathlib.Path(self.statistics(folder=self.folder / "sub/..")["index"])
        inner = self.folder / "sub"
        self.statistics(folder=inner)
        self.assertEqual(len(self.indexes()), 2)
        text = self.assert_succeeds(self.remove("--forget", str(inner)))
        self.assertRegex(text, r"^1 index removed, [0-9.]+ MB; 1 index left, ")
        self.assertEqual(self.indexes(), [kept])
        self.assertIn("0 indexes removed", self.assert_succeeds(self.remove("--forget", str(self.folder / "other"))))
        self.statistics(folder=inner)
        self.assertIn("2 indexes removed", self.assert_succeeds(self.remove("--forget", str(self.folder))))
        self.assertEqual(self.indexes(), [])

    def test_prunes_what_is_gone(self):
        kept = pathlib.Path(self.statistics()["index"])
        other = self.folder.parent / "other"
        shutil.copytree(self.folder, other)
        gone = pathlib.Path(self.statistics(folder=other)["index"])
        self.assertIn("0 indexes removed", self.assert_succeeds(self.remove("--prune")))
        shutil.rmtree(other)
        self.statistics()
        self.assertEqual(self.indexes(), sorted([kept, gone]), "it may come back within a week")
        os.utime(gone / "lock", (0, 0))
        self.statistics()
        self.assertEqual(self.indexes(), [kept], "opening one removes what is gone for long")
        self.assertEqual(self.statistics()["read_files"], 0)

    def test_one_that_is_in_use_is_not_removed(self):
        folder = pathlib.Path(self.statistics()["index"])
        with open(folder / "lock", "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = self.remove("--forget", str(self.folder))
            self.assertEqual(process.returncode, 1)
            self.assertIn("a server is using it", process.stderr.decode())
        self.assertEqual(self.indexes(), [folder])
        self.assertIn("1 index removed", self.assert_succeeds(self.remove("--forget", str(self.folder))))

    def test_removing_and_building_at_once_is_a_mistake(self):
        for arguments in (["--prune", str(self.folder)], ["--forget", "a", "--prune"]):
            self.assertEqual(self.remove(*arguments).returncode, 2, arguments)

    def test_a_damaged_index_is_built_anew(self):
        folder = pathlib.Path(self.statistics()["index"])
        (folder / "manifest").write_bytes(b"nonsense")
        again = self.index("--format", "json")
        self.assertIn("rebuilt", again.stderr.decode())
        self.assertEqual(json.loads(self.assert_succeeds(again))["read_files"], 3)
        self.assertEqual(self.index("--format", "json").stderr, b"")

    def test_a_cache_that_cannot_be_written_costs_the_disk_alone(self):
        self.cache.write_text("a file where a folder should be")
        process = self.index("--format", "json")
        self.assertIn("kept in memory only", process.stderr.decode())
        result = json.loads(self.assert_succeeds(process))
        self.assertEqual((result["index"], result["files"]), ("", 3))

    def test_a_full_disk_is_said(self):
        for i in range(40):
            self.write(f"many/{i}.py", "\n".join(f"name_{i}_{j} = {i * j}" for j in range(200)))
        process = subprocess.run(
            [PROGRAM, "index", str(self.folder), *TARGET], capture_output=True, timeout=TIME_LIMIT,
            env={**os.environ, "XDG_CACHE_HOME": str(self.cache)},
            preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))))
        self.assertEqual(process.returncode, 1)
        self.assertIn("redraft: error: cannot save the index", process.stderr.decode())
        self.assertEqual(self.statistics()["read_files"], 43, "nothing half written was believed")

    def test_a_small_disk_that_fills_up_loses_nothing(self):
        """The same on a real file system of one megabyte, if this system allows mounting one."""
        for i in range(60):
            self.write(f"many/{i}.py", "\n".join(f"name_{i}_{j} = {i * j}" for j in range(200)))
        self.cache.mkdir()
        # In a mount namespace of its own, which ends with the process.
        script = ('mount -t tmpfs -o size=1m tmpfs "$1" || exit 77; shift; "$@"; echo "exit $?"; rm -rf "$FULL"; '
                  '"$@" --format json')
        command = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c", script, "sh",
                   str(self.cache), PROGRAM, "index", str(self.folder), *TARGET]
        process = subprocess.run(command, capture_output=True, timeout=TIME_LIMIT, text=True,
                                 env={**os.environ, "XDG_CACHE_HOME": str(self.cache), "FULL": str(self.folder / "many")})
        if process.returncode == 77 or "unshare" in process.stderr:
            self.skipTest("no file system can be mounted here: " + process.stderr.strip())
        self.assertIn("cannot save the index", process.stderr)
        self.assertIn("No space left on device", process.stderr)
        self.assertIn("exit 1\n", process.stdout)
        after = json.loads(process.stdout.split("\n")[-2])
        self.assertEqual((after["files"], after["read_files"]), (3, 3))

    def test_two_at_once_both_succeed(self):
        command = [PROGRAM, "index", str(self.folder), *TARGET, "--format", "json"]
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache)}
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) for _ in range(2)]
        for process in both:
            self.assertEqual(json.loads(process.communicate(timeout=TIME_LIMIT)[0])["files"], 3)
        self.assertEqual(self.statistics()["read_files"], 0)

    def test_an_interrupted_one_goes_on(self):
        for n_files in (3000, 12000, 48000):  # where the machine is fast, or this test late, it is done before it is told
            for i in range(n_files):
                self.write(f"many/{i // 100}/{i}.py", f"value_{i} = {i}\n" * 50)
            code, message = self.interrupted()
            if code != 0:
                break
            shutil.rmtree(self.cache)
        self.assertEqual(code, 130, message)
        self.assertIn("same command again to continue", message)
        self.assertEqual(self.statistics()["files"], n_files + 3)

    def interrupted(self):
        """The exit code, and what was said."""
        process = subprocess.Popen([PROGRAM, "index", str(self.folder), *TARGET],
                                   env={**os.environ, "XDG_CACHE_HOME": str(self.cache)},
                                   stderr=subprocess.PIPE)
        deadline = time.monotonic() + TIME_LIMIT
        while not list(self.cache.glob("redraft/index/*/lock")):  # created when the work begins
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=TIME_LIMIT)[1].decode()
        return process.returncode, message

    def test_installed_packages_are_an_index_of_their_own(self):
        self.write(".gitignore", "node_modules\n.venv\n")
        self.write("node_modules/a/index.js", "const gamma = 3;\n")
        self.write(".venv/lib/python3.12/site-packages/b.py", "delta = 4\n")
        both = json.loads(self.assert_succeeds(self.index("--dependencies", "--format", "json")))
        self.assertEqual((both["files"], both["common"]["files"]), (4, 2))
        self.assertNotEqual(both["index"], both["common"]["index"])
        text = self.assert_succeeds(self.index("--dependencies"))
        self.assertIn("\ncommon code\nindex ", text)
        none = run("index", str(self.folder / "sub"), "--dependencies", *TARGET,
                   environment={"XDG_CACHE_HOME": str(self.cache)})
        self.assertIn("no packages are installed", none.stderr.decode())
        self.assert_succeeds(none)
        alone = run("index", "--common", str(self.folder / "node_modules"), *TARGET, "--format", "json",
                    environment={"XDG_CACHE_HOME": str(self.cache)})
        self.assertEqual(json.loads(self.assert_succeeds(alone))["common"]["files"], 1)

    def test_wrong_arguments(self):
        self.assert_fails(self.index(folder=self.folder / "missing"), 1, "no such folder")
        self.assert_fails(self.index(folder=self.folder / "a.py"), 1, "not a folder")
        self.assert_fails(run("index"), 2, "folder")
        self.assert_fails(run("index", "--common", str(self.folder), "--dependencies"), 1, "--dependencies requires the folder")
        self.assert_fails(run("index", "--common", str(self.folder / "missing")), 1, "no such folder")
        self.assert_fails(self.index("--format", "xml"), 2, "xml")


if __name__ == "__main__":
    unittest.main()
