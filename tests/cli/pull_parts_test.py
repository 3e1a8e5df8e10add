"""`redraft models pull` of a model in several files, by address and from a hub, and what becomes of it."""

import json
import os
import signal
import struct
import subprocess
import time
import unittest

from loopback_web import Page
from pull_any_test import Any, sha256
from pull_hub_test import COMMIT
from redraft_process import PROGRAM, TIME_LIMIT

COUNT = 3
NAMES = [f"tiny-Q4_K_M-{number:05d}-of-{COUNT:05d}.gguf" for number in range(1, COUNT + 1)]


def _text(content, at):
    length, = struct.unpack_from("<Q", content, at)
    return content[at + 8:at + 8 + length], at + 8 + length


def _skip_value(content, at):
    kind, = struct.unpack_from("<I", content, at)
    sizes = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
    at += 4
    if kind == 8:
        return _text(content, at)[1]
    if kind != 9:
        return at + sizes[kind]
    of, count = struct.unpack_from("<IQ", content, at)
    at += 12
    for _ in range(count if of == 8 else 0):
        at = _text(content, at)[1]
    return at if of == 8 else at + count * sizes[of]


def _padded(size):
    return -(-size // 32) * 32


def split(content, count=COUNT):
    """The parts of a GGUF file of the default alignment, as llama.cpp's tool splits it."""
    n_tensors, n_values = struct.unpack_from("<QQ", content, 8)
    at = 24
    for _ in range(n_values):
        at = _skip_value(content, _text(content, at)[1])
    values, tensors = content[24:at], []
    for _ in range(n_tensors):
        begin = at
        name, at = _text(content, at)
        dimensions, = struct.unpack_from("<I", content, at)
        at += 4 + 8 * dimensions + 4
        offset, = struct.unpack_from("<Q", content, at)
        tensors.append((content[begin:at], offset))
        at += 8
    data = content[_padded(at):]
    ends = [offset for _, offset in tensors[1:]] + [len(data)]
    parts = []
    for index in range(count):
        mine = range(n_tensors * index // count, n_tensors * (index + 1) // count)
        said = b"".join(struct.pack("<Q", len(key)) + key + struct.pack("<I", kind) + struct.pack(form, value)
                        for key, kind, form, value in ((b"split.no", 2, "<H", index), (b"split.count", 2, "<H", count),
                                                       (b"split.tensors.count", 5, "<i", n_tensors)))
        start = tensors[mine[0]][1]
        head = b"GGUF" + struct.pack("<IQQ", 3, len(mine), 3 + (n_values if index == 0 else 0))
        head += (values if index == 0 else b"") + said
        head += b"".join(tensors[i][0] + struct.pack("<Q", tensors[i][1] - start) for i in mine)
        parts.append(head.ljust(_padded(len(head)), b"\0") + data[start:ends[mine[-1]]])
    return parts


class Parts(Any):
    def setUp(self):
        super().setUp()
        self.parts = split(self.content)
        self.pages = [Page(part) for part in self.parts]
        for name, page in zip(NAMES, self.pages):
            self.web.pages[f"/m/{name}"] = page

    def first(self):
        return self.address(f"/m/{NAMES[0]}")

    def assert_all_pulled(self, process):
        self.assertEqual(process.returncode, 0, process.err)
        self.assertEqual(self.kept(), NAMES)
        for name, part in zip(NAMES, self.parts):
            self.assertEqual((self.store() / name).read_bytes(), part)
        return process

    def redraft(self, *words):
        return subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "XDG_DATA_HOME": str(self.folder / "data"),
                                   "XDG_CACHE_HOME": str(self.folder / "cache")}, timeout=TIME_LIMIT, text=True)


class ByAddress(Parts):
    def test_the_first_part_brings_all(self):
        told = self.assert_all_pulled(self.pull(self.first()))
        for name in NAMES:
            self.assertIn(f"{name}: ready", told.out)
        self.assertIn("qwen2", told.out)
        self.web.requests.clear()
        self.assert_all_pulled(self.pull(self.first()))
        self.assertEqual(self.web.requests, [])

    def test_all_parts_are_loaded_as_one_model(self):
        self.assert_all_pulled(self.pull(self.first()))
        (self.store() / "whole.gguf").write_bytes(self.content)
        written = [self.redraft("generate", "--target", name, "--max-new-tokens", "12", "--format", "json", "--prompt", "def f(")
                   for name in (NAMES[0], "whole.gguf")]
        for each in written:
            self.assertEqual(each.returncode, 0, each.stderr)
        first, whole = (json.loads(each.stdout) for each in written)
        self.assertEqual(first["output_sha256"], whole["output_sha256"])
        listed = {each["name"]: each for each in json.loads(self.redraft("models", "list", "--format", "json").stdout)}
        self.assertEqual(sorted(name for name in listed if name.startswith("tiny")), NAMES[:1])
        self.assertEqual(listed[NAMES[0]]["bytes"], sum(map(len, self.parts)))
        self.assertTrue(listed[NAMES[0]]["supported"])

    def test_a_missing_part_is_named_until_it_is_fetched(self):
        self.assert_all_pulled(self.pull(self.first()))
        (self.store() / NAMES[1]).unlink()
        shown = self.redraft("models", "show", NAMES[0])
        self.assertEqual(shown.returncode, 1)
        self.assertIn(f"{NAMES[1]} is missing", shown.stderr)
        self.assertIn("redraft models pull", shown.stderr)
        self.web.requests.clear()
        self.assert_all_pulled(self.pull(self.first()))
        self.assertEqual({path for path, _ in self.web.requests}, {f"/m/{NAMES[1]}"})

    def test_another_part_names_the_first(self):
        refused = self.pull(self.address(f"/m/{NAMES[1]}"))
        self.assert_refused(refused, "is part 2 of a model; name the first one", NAMES[0])
        self.assertEqual(self.web.requests, [])

    def test_a_pull_goes_on_within_a_part(self):
        half = len(self.parts[1]) // 2
        self.pages[1].hold_after = half
        process = self.start(self.first())
        self.assertTrue(self.web.holding.wait(TIME_LIMIT))
        while not any(path.stat().st_size == half for path in self.store().glob(".*.partial")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(process.returncode, 130)
        self.pages[1].hold_after = None
        self.web.requests.clear()
        self.assert_all_pulled(self.pull(self.first()))
        self.assertEqual(self.web.ranges(f"/m/{NAMES[0]}"), [])
        self.assertEqual(self.web.ranges(f"/m/{NAMES[1]}"), [f"bytes={half}-"])

    def test_a_part_that_the_server_lacks(self):
        del self.web.pages[f"/m/{NAMES[2]}"]
        self.assert_refused(self.pull(self.first()), "404", kept=NAMES[:2])

    def test_a_part_of_another_model(self):
        self.pages[1].content = split(self.content, 4)[1]
        self.assert_refused(self.pull(self.first()), "is part 2 of 4, where part 2 of 3", kept=NAMES)

    def test_one_sha256_is_not_enough(self):
        self.assert_refused(self.pull(self.first(), "--sha256", sha256(self.parts[0])), "this model has 3")


class OfAHub(Parts):
    def setUp(self):
        super().setUp()
        self.environment = {"HF_ENDPOINT": self.web.origin}

    def offer(self, parts, **more):
        files = {f"q4/{name}": part for name, part in zip(NAMES, parts)} | more
        for path, content in files.items():
            self.web.pages[f"/owner/model/resolve/{COMMIT}/{path}"] = Page(content)
        described = {path: (len(content), sha256(content)) for path, content in files.items()}
        for path, part in zip(described, self.parts):
            described[path] = (described[path][0], sha256(part))
        self.web.list_repository("owner/model", described)

    def test_parts_count_as_one_file(self):
        self.offer(self.parts, **{"tiny-Q8_0.gguf": b"", "mmproj-tiny-00001-of-00001.gguf": b""})
        for word in ("owner/model:Q4_K_M", f"owner/model:{NAMES[0]}", "owner/model:tiny-Q4_K_M.gguf"):
            with self.subTest(word):
                told = self.assert_all_pulled(self.pull(word))
                self.assertNotIn("nothing says what its SHA-256 should be", told.err)
                for name in NAMES:
                    (self.store() / name).unlink()
        listed = self.pull("owner/model").err
        self.assertIn(f"q4/{NAMES[0]}  0 MB", listed)
        self.assertNotIn(NAMES[1], listed)

    def test_each_part_is_checked(self):
        self.offer(self.parts[:2] + [self.parts[2][:-1] + b"x"])
        self.assert_refused(self.pull("owner/model"), "has the SHA-256", f"where {sha256(self.parts[2])} is expected",
                            kept=NAMES[:2])


if __name__ == "__main__":
    unittest.main()
