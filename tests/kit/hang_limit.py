"""How long a test waits for an event before it fails: the event will never come. Nothing that a test waits for takes a twentieth
of this, even where others compile. hang_seconds is the one place of the number, for every language of tests.
"""

import pathlib

HANG_SECONDS = int(pathlib.Path(__file__).with_name("hang_seconds").read_text())
