#!/usr/bin/env bash
# A real model edits a real file; then the same edit without drafting, for comparison.
set -euo pipefail
cd "$(dirname "$0")/.."
instruction=$(cat tests/cases/demo/instruction.txt)
echo "tests/cases/demo/inventory.py: $instruction"
echo
exec build/redraft edit tests/cases/demo/inventory.py --instruction "$instruction" --scope whole --compare "$@"
