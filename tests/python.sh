#!/bin/sh
# The Python that tests run in: the environment that `make setup` made, or the system's where that is enough.
environment=${XDG_CACHE_HOME:-$HOME/.cache}/redraft/venv-tests/bin/python
[ -x "$environment" ] || environment=python3
exec "$environment" -B "$@"
