"""Measures how much of the machine other processes used, to decide whether a timing can be trusted."""

import contextlib
import pathlib


def busy_and_all():
    """Busy ticks of all CPUs, and all ticks; time that the host took away counts as busy."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def ticks_of(process_id):
    """The ticks of all threads of a process; 0 if it no longer exists."""
    with contextlib.suppress(OSError):
        words = pathlib.Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()
        return int(words[11]) + int(words[12])
    return 0


class Watch:
    """The share of the machine's time, since this object was created, that went to processes other than one."""

    def __init__(self, process_id):
        self.process_id = process_id
        self.busy, self.all = busy_and_all()
        self.own = ticks_of(process_id)

    def share_of_others(self):
        busy, all_ticks = busy_and_all()
        others = busy - self.busy - (ticks_of(self.process_id) - self.own)
        return max(0.0, others / max(all_ticks - self.all, 1))
