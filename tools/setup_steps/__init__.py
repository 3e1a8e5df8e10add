"""The steps of tools/setup.py: one file each."""
