"""Reads the monthly reports of a folder and sums them up."""

import csv
import os
import time
import urllib.request

SUFFIX = ".csv"
MAX_ROWS = 10_000


class Report:
    """The rows of one month."""

    def __init__(self, name, rows):
        self.name = name
        self.rows = rows

    def total(self, column):
        return sum(float(row[column]) for row in self.rows)

    def __len__(self):
        return len(self.rows)


def find_reports(folder):
    """The paths of all reports below a folder, in order."""
    found = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.path.splitext(path)[1] == SUFFIX:
            found.append(path)
    return found


def read_report(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return Report(os.path.basename(path), rows[:MAX_ROWS])


def average(values):
    """The arithmetic mean."""
    return sum(values) / len(values)


def paid_names(rows):
    """The names of the rows that are paid for, without blanks around them."""
    names = []
    for row in rows:
        if row["paid"] == "yes":
            names.append(row["name"].strip())
    return names


def download(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def poll(is_ready, tries=5, pause=0.5):
    """Waits until `is_ready()` is true; whether it was within that many tries."""
    for _ in range(tries):
        if is_ready():
            return True
        time.sleep(pause)
    return False


def summary(reports, column):
    lines = []
    for report in reports:
        lines.append("%s: %.2f (%d rows)" % (report.name, report.total(column), len(report)))
    return "\n".join(lines)
