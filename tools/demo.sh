#!/usr/bin/env bash
# A real file, edited by a real model; then the same without any drafting, to compare.
set -euo pipefail
cd "$(dirname "$0")/.."
instruction=$(cat tests/cases/demo/instruction.txt)
echo "tests/cases/demo/inventory.py: $instruction"
echo
exec build/redraft edit tests/cases/demo/inventory.py --instruction "$instruction" --scope whole --compare "$@"
