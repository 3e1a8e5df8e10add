#!/usr/bin/env python3
"""Sets up what redraft is built from and tested with. Needs only Python 3.9 and its standard library.

Every step does nothing if its result is there already. So set-up is cheap to repeat, works offline once done, and
continues an interrupted download where it stopped.
"""

import argparse
import sys

from setup_steps import (aarch64, cuda, grammars, hybrid, instructions, jinja, libtorch, models, optional, ruff,
                         system_packages, test_environment)
from setup_steps.common import SetupError, exclusive_lock, say


def ensure_lint():
    system_packages.ensure_lint()
    ruff.ensure()


STEPS = {
    "core": (system_packages.ensure_core, "compiler, CMake and what the preset `core` is built from"),
    "system": (system_packages.ensure_build, "compiler, CMake and the system's libraries"),
    "lint": (ensure_lint, "clang-format, clang-tidy, ruff, luacheck and ShellCheck"),
    "libtorch": (libtorch.ensure, "libtorch's CPU libraries and headers"),
    "cuda": (cuda.ensure, "nvcc, to compile kernels for GPUs; needs no GPU"),
    "gpu": (cuda.ensure_for_gpu, "nvcc, where there is an NVIDIA GPU to compile for"),
    "grammars": (grammars.ensure, "tree-sitter and its grammars, as C sources"),
    "jinja": (jinja.ensure, "llama.cpp's Jinja engine, as C++ sources"),
    "models": (models.ensure_all, "the three models, by SHA-256"),
    "tests": (test_environment.ensure, "the Python environment that tests run in"),
    "hybrid": (hybrid.ensure, "small models, trained here for tests: a hybrid, three with windows (three minutes)"),
    "hybrid-large": (hybrid.ensure_large, "a larger one for measurements (half an hour)"),
    "aider": (test_environment.ensure_aider, "aider, for one of the long tests (690 MB)"),
    "instructions": (instructions.ensure, "the files that `bench/instructions_bench.py` edits"),
    "dist": (system_packages.ensure_dist, "zstd and dpkg-deb, with which `make dist` packs"),
    "aarch64": (aarch64.ensure, "cross compiler, emulator and libraries of `make test-aarch64`"),
}
_ON_REQUEST = {"core", "gpu", "aider", "instructions", "dist", "aarch64", "hybrid", "hybrid-large"}
# Only some tests need these. tests/CMakeLists.txt names the tests (redraft_needs), or the tests find out for themselves.
_FOR_SOME_TESTS = {"models", "tests", "aider", "instructions", "hybrid"}


def parse_arguments(arguments):
    steps = "\n".join(f"  {name:14}{purpose}" for name, (_, purpose) in STEPS.items())
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"steps:\n{steps}\n  model:NAME    one model of tools/locks/models.lock",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"default: all but {', '.join(sorted(_ON_REQUEST))}")
    parser.add_argument("--for-tests", action="store_true",
                        help="a failure of a step that only some tests need "
                             f"({', '.join(sorted(_FOR_SOME_TESTS))}) skips these tests instead of stopping the set-up")
    options = parser.parse_args(arguments)
    steps = options.steps or [name for name in STEPS if name not in _ON_REQUEST]
    return parser, steps, options.for_tests


def run_step(name):
    if name.startswith("model:"):
        models.ensure(name[len("model:"):])
    else:
        STEPS[name][0]()


def run_step_for_some_tests(name):
    try:
        run_step(name)
    except SetupError as error:
        optional.record(name, str(error))
        say(f"{name} FAILED; the tests that need it will be skipped: {error}")
    else:
        optional.record(name, None)


def main(arguments):
    parser, steps, for_tests = parse_arguments(arguments)
    for name in steps:
        if name not in STEPS and not name.startswith("model:"):
            parser.error(f"unknown step '{name}' (steps: {', '.join(STEPS)}, model:NAME)")
    try:
        with exclusive_lock():
            for name in steps:
                (run_step_for_some_tests if for_tests and name in _FOR_SOME_TESTS else run_step)(name)
    except SetupError as error:
        print(f"setup: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("setup: interrupted; run it again to go on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
