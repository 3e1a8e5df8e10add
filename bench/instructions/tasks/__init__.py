"""The instructions: twelve in each of five languages. They and their checks are frozen: docs/bench.md."""

from . import cpp, go, javascript, python, rust

TASKS = [*python.TASKS, *javascript.TASKS, *cpp.TASKS, *go.TASKS, *rust.TASKS]
