"""How many commands `make demo` runs to build the program: everybody's first build waits for them."""

import collections
import os
import pathlib
import re
import subprocess
import unittest

BUILD = pathlib.Path(os.environ["REDRAFT_BUILD"])
MAX_STEPS = 650  # lower it when the program loses a part; languages are not counted
COMMON_LANGUAGE_SOURCES = ("languages", "known_by_name")
ADVICE = (f"The program takes more than {MAX_STEPS} build steps. Does the program itself need what was added? A bench, a trainer "
          "or a research decoder belongs to a target that `redraft` does not link. If the program does need it, raise MAX_STEPS "
          "in this file, and give the reason in the commit and the closing note of the issue.")


def is_of_one_language(command):
    """Whether it compiles a language's row, parser or scanner. The limit does not count them, so a language does not raise it."""
    row = re.search(r" -o languages/\S+/(\w+)\.cpp\.o\b", command)
    if row:
        return row[1] not in COMMON_LANGUAGE_SOURCES
    return bool(re.search(r" -o \S+(/src/parser|/scanners/\w+)\.cc?\.o\b", command))


def steps():
    listing = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "redraft"], capture_output=True, text=True, check=True)
    return [command for command in listing.stdout.splitlines() if not is_of_one_language(command)]


def by_folder(commands):
    """How many objects each folder of sources has, most first."""
    objects = re.findall(r" -o (?:\./)?([\w-]+)/\S+\.o\b", "\n".join(commands))
    return ", ".join(f"{folder} {count}" for folder, count in collections.Counter(objects).most_common())


@unittest.skipUnless((BUILD / "build.ninja").exists(), "the build is not one of Ninja's")
class BuildSteps(unittest.TestCase):
    def test_stay_within_the_limit(self):
        commands = steps()
        self.assertLessEqual(len(commands), MAX_STEPS, f"{ADVICE}\nObjects by folder: {by_folder(commands)}")

    def test_the_limit_is_not_out_of_date(self):
        count = len(steps())
        if not any("nvcc" in command for command in steps()):
            self.skipTest("the build has no kernels for GPUs, so it has fewer steps")
        self.assertGreaterEqual(count, MAX_STEPS - 40, f"the program takes {count} build steps: lower MAX_STEPS to that")


if __name__ == "__main__":
    unittest.main()
