"""How much of the machine others took: what a timing is worth."""

import contextlib
import pathlib


def busy_and_all():
    """Ticks of all CPUs that were not idle, and all ticks; what the host took away counts as not idle."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def ticks_of(process_id):
    """Of all threads of a process; 0 when it is gone."""
    with contextlib.suppress(OSError):
        words = pathlib.Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()
        return int(words[11]) + int(words[12])
    return 0


class Watch:
    """From its making on: the share of the machine's time that went to others than one process."""

    def __init__(self, process_id):
        self.process_id = process_id
        self.busy, self.all = busy_and_all()
        self.own = ticks_of(process_id)

    def share_of_others(self):
        busy, all_ticks = busy_and_all()
        others = busy - self.busy - (ticks_of(self.process_id) - self.own)
        return max(0.0, others / max(all_ticks - self.all, 1))
