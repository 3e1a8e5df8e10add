"""The parts of tools/lint.py."""
