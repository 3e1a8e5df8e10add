#!/usr/bin/env python3
"""Plots what `redraft bench edits --out R.json` measured: speed-up against how much of the output is in the original.

    bench/plots.py R.json [R2.json …] --out FIGURE.svg [--y priced_speedup] [--decoders redraft,efficientedit]

Each decode is a dot; a decoder's line is the mean of its dots in each tenth of the overlap. Needs only Python's standard
library, so there is nothing to install and nothing to lock.
"""

import argparse
import json
import math
import pathlib
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 56, 56
# Distinguishable with colour blindness, too (Okabe and Ito's palette without its yellow).
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"]
BINS = 10
MEASURES = {
    "speedup": "speed-up over plain decoding",
    "priced_speedup": "speed-up over plain decoding, priced by passes and rows",
    "tokens_per_pass": "tokens per pass of the target",
}


class BadInput(Exception):
    pass


def read_points(files, measure, wanted):
    """Decoder -> [(overlap, value)], in the order in which decoders appear."""
    points = {}
    for file in files:
        try:
            tasks = json.loads(pathlib.Path(file).read_text())["tasks"]
            rows = [(task["decoder"], task.get("overlap"), task[measure]) for task in tasks]
        except OSError as error:
            raise BadInput(f"{file}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BadInput(f"{file}: not what `redraft bench --out` writes") from None
        for decoder, overlap, value in rows:
            if overlap is not None and (decoder in wanted if wanted else decoder != "ar"):
                points.setdefault(decoder, []).append((float(overlap), float(value)))
    if not points:
        raise BadInput("no decode of these decoders has an overlap: plots are of `redraft bench edits`")
    return points


def nice_step(most):
    """A round distance between grid lines, so that four to eight of them reach `most`."""
    rough = most / 6
    power = 10 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough)


def means(points):
    """The mean of each tenth that has points, at the middle of that tenth."""
    for tenth in range(BINS):
        inside = [(x, y) for x, y in points if min(int(x * BINS), BINS - 1) == tenth]
        if inside:
            yield sum(x for x, _ in inside) / len(inside), sum(y for _, y in inside) / len(inside)


class Figure:
    def __init__(self, points, measure):
        self.points = points
        self.measure = measure
        most = max(1.0, max(y for series in points.values() for _, y in series))
        self.step = nice_step(most)
        self.top = self.step * math.ceil(most / self.step)
        self.parts = []

    def x(self, overlap):
        return LEFT + overlap * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        return HEIGHT - BOTTOM - value / self.top * (HEIGHT - TOP - BOTTOM)

    def text(self, x, y, content, anchor="middle", extra=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(content)}</text>')

    def line(self, x1, y1, x2, y2, style):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>')

    def axes(self):
        for i in range(round(self.top / self.step) + 1):
            value = i * self.step
            self.line(LEFT, self.y(value), WIDTH - RIGHT, self.y(value), 'stroke="#ddd"')
            self.text(LEFT - 8, self.y(value) + 4, f"{value:g}", "end")
        for percent in range(0, 101, 20):
            self.text(self.x(percent / 100), HEIGHT - BOTTOM + 20, f"{percent} %")
        if self.measure != "tokens_per_pass":
            self.line(LEFT, self.y(1), WIDTH - RIGHT, self.y(1), 'stroke="#666" stroke-dasharray="4 3"')
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, "share of the output that stands in the original")
        middle = (TOP + HEIGHT - BOTTOM) / 2
        self.text(18, middle, MEASURES[self.measure], extra=f' transform="rotate(-90 18 {middle:.1f})"')

    def series(self, name, points, colour):
        for x, y in points:
            self.parts.append(f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3" fill="{colour}" '
                              f'fill-opacity="0.35"><title>{escape(name)}: {y:.2f} at {100 * x:.0f} %</title></circle>')
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in means(points))
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')

    def legend(self):
        at, row = LEFT, 0
        for i, name in enumerate(self.points):
            width = 30 + 7.2 * len(name)
            if at + width > WIDTH - RIGHT and at > LEFT:
                at, row = LEFT, row + 1
            y = 18 + 18 * row
            self.line(at, y, at + 18, y, f'stroke="{COLOURS[i % len(COLOURS)]}" stroke-width="3"')
            self.text(at + 24, y + 4, name, "start")
            at += width + 10

    def svg(self):
        self.axes()
        for i, (name, points) in enumerate(self.points.items()):
            self.series(name, points, COLOURS[i % len(COLOURS)])
        self.legend()
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
                'font-family="sans-serif" font-size="12" fill="#222">\n'
                f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+", metavar="R.json")
    parser.add_argument("--out", required=True, help="the SVG file")
    parser.add_argument("--y", choices=MEASURES, default="speedup")
    parser.add_argument("--decoders", help="names, separated by commas (default: all but ar)")
    arguments = parser.parse_args()
    wanted = arguments.decoders.split(",") if arguments.decoders else None
    try:
        points = read_points(arguments.reports, arguments.y, wanted)
        pathlib.Path(arguments.out).write_text(Figure(points, arguments.y).svg())
    except BadInput as error:
        sys.exit(f"plots.py: {error}")
    except OSError as error:
        sys.exit(f"plots.py: {arguments.out}: {error.strerror}")


if __name__ == "__main__":
    main()
