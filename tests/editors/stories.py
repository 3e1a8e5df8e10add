#!/usr/bin/env python3
"""Lets real editors play the stories of stories/stories.json with the real model: pictures of them into docs/images, and
how long each took into stories/seconds.json and into the table of docs/stories.md.

    tests/editors/stories.py                   all of them, three times each; best on a machine that does nothing else
    tests/editors/stories.py --table           writes the table alone, from seconds.json
    tests/editors/stories.py --editor neovim --story rename --runs 1 --draft DIR
                                               tries one out: pictures into DIR, nothing else is written

Needs tests/editors/setup.sh, build/redraft and its default model.

A story is a list of steps: "press" a key (of "keys", which has each editor's own; null: not needed there), "type" a text at
a person's pace, "wait" for something, take a "picture". Waiting for a hunk, the end of the edit or a proposal is timed from
the last key. In "cursor" ^ stands where the cursor is; the text occurs once in the file. Pictures have "rows" and "columns";
"above" the cursor's line are so many of the rows. A story without a title is for its picture alone, and played once.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sysconfig
import tempfile
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STORIES = HERE / "stories" / "stories.json"
SECONDS = HERE / "stories" / "seconds.json"
DOCUMENT = ROOT / "docs" / "stories.md"
IMAGES = ROOT / "docs" / "images"
EDITORS = {"neovim": "Neovim", "vscode": "VS Code"}
ENDINGS = {"neovim": "svg", "vscode": "png"}
KINDS = ("press", "type", "wait", "picture")
WAITS = ("model", "region", "hunk", "end", "proposal", "cursor", "text")
TYPING = 100  # milliseconds a key: that of a fast typist
BEGIN = "<!-- The seconds, written by tests/editors/stories.py -->\n"
END = "<!-- to here -->\n"


def load():
    return json.loads(STORIES.read_text(encoding="utf-8"))


def source_of(story):
    """The file that a story edits: one of ours, else of Python's own library."""
    ours = HERE / "stories" / story["file"]
    return ours if ours.exists() else pathlib.Path(sysconfig.get_path("stdlib")) / story["file"]


def place_of(cursor, text):
    """Line and column of the mark ^ of `cursor` in `text`, from 1."""
    before, mark, after = cursor.partition("^")
    if not mark or text.count(before + after) != 1:
        raise ValueError(f"{cursor}: has no ^, or does not occur once")
    at = text.index(before + after) + len(before)
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1


def steps_for(editor, story, keys):
    """The steps with the keys of `editor`."""
    steps = []
    for step in story["steps"]:
        if "press" not in step:
            steps.append(step)
        elif keys[step["press"]][editor] is not None:
            steps.append({"press": keys[step["press"]][editor]})
    return steps


def plan_for(editor, stories, keys, server, runs, images):
    plan = []
    for story in stories:
        source = source_of(story)
        line, column = place_of(story["cursor"], source.read_text(encoding="utf-8"))
        plan.append({"name": story["name"], "source": str(source), "line": line, "column": column, "rows": story["rows"], "above": story["above"],
                     "columns": story["columns"], "runs": runs if "title" in story else 1, "steps": steps_for(editor, story, keys)})
    return {"stories": plan, "server": str(server), "images": str(images), "typing": TYPING}


def write_server(folder, redraft):
    """A language server whose costs and sockets are this script's own, and whose models are the user's: the editors run with
    folders of their own. One that has ended leaves nothing for the next to begin with, but what a pass costs."""
    data = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share"
    (folder / "run").mkdir(mode=0o700)
    server = folder / "redraft"
    server.write_text(f"#!/bin/sh\nexport XDG_DATA_HOME='{data}' XDG_CACHE_HOME='{folder}/cache' XDG_RUNTIME_DIR='{folder}/run'\n"
                      f"REDRAFT_LSP_IDLE_SECONDS=0 exec '{redraft}' \"$@\"\n")
    server.chmod(0o755)
    return server


def play(editor, plan, folder):
    """What the editor's driver measured: {story: [{what: seconds}]}, a dictionary a run."""
    file = folder / f"{editor}.json"
    file.write_text(json.dumps(plan))
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "redraft" / "editors"
    nvim = home / "bin" / "nvim"
    command = {"neovim": [nvim, "--clean", "-l", HERE / "neovim" / "stories.lua", nvim, file],
               "vscode": [home / "wheels" / "commands" / "node", HERE / "vscode" / "stories.js", file]}[editor]
    measured = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as driver:
        for line in driver.stdout:
            run = json.loads(line)
            print(f"{editor} {line}", end="", flush=True)
            measured.setdefault(run.pop("story"), []).append(run)
    if driver.returncode:
        raise SystemExit(f"{editor}: a story did not go as told")
    return measured


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "an unknown processor"


def conditions(runs):
    return {"runs": runs, "day": datetime.date.today().isoformat(), "cores": len(os.sched_getaffinity(0)), "processor": processor(),
            "load": [round(os.getloadavg()[0], 1)]}


def in_words(seconds):
    return f"{1000 * seconds:.0f} ms" if seconds < 0.0995 else f"{seconds:.2f} s" if seconds < 0.995 else f"{seconds:.1f} s"


def median(runs, what):
    values = [run[what] for run in runs if what in run]
    return in_words(statistics.median(values)) if values else ""


def table(stories, seconds):
    """What is measured of the stories that have a title, and where."""
    rows = ["| Story | Editor | First change | All of it |", "|---|---|---|---|"]
    for story in stories:
        for editor, name in EDITORS.items():
            runs = seconds["stories"].get(story["name"], {}).get(editor)
            if runs and "title" in story:
                first = median(runs, "hunk") or median(runs, "proposal")
                rows.append(f"| {story['title']} | {name} | {first} | {median(runs, 'end') or first} |")
    told = seconds["conditions"]
    where = (f"Medians of {told['runs']} runs on {told['day']}; {told['cores']} cores of {told['processor']}, whose load average was "
             f"{told['load'][0]} before and {told['load'][1]} after.")
    # Afterwards it is the stories' own too: a window, its browser, a server and the model's threads.
    before, after = told["load"]
    if before > told["cores"] or after > 4 * told["cores"]:
        where += " It did much else at the same time: the seconds are too many, and only say that the stories go as told."
    starts = " and ".join(f"{median(runs, 'start')} in {EDITORS[editor]}"
                          for editor, runs in seconds["stories"].get("first-edit", {}).items())
    where += f" From the start of the editor to the first change of the first story it took {starts}, typing included." if starts else ""
    return "\n".join([*textwrap.wrap(where, 100), "", *rows]) + "\n"


def with_table(text, stories, seconds):
    """The document with the table of these seconds."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{DOCUMENT.name} has no place for the table: {BEGIN.strip()} … {END.strip()}")
    return head + begin + "\n" + table(stories, seconds) + "\n" + end + tail


def write_document(stories):
    seconds = json.loads(SECONDS.read_text(encoding="utf-8"))
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8"), stories, seconds), encoding="utf-8")


def play_all(arguments, stories, keys):
    """What was measured: {story: {editor: [{what: seconds}]}}."""
    images = arguments.draft or IMAGES
    images.mkdir(parents=True, exist_ok=True)
    measured = {}
    with tempfile.TemporaryDirectory(prefix="redraft-stories-") as name:
        folder = pathlib.Path(name)
        server = write_server(folder, arguments.redraft.resolve())
        first = HERE / "stories" / "stock.py"
        subprocess.run([server, "edit", first, "add a docstring"], check=True, stdout=subprocess.DEVNULL)  # measures costs
        for editor in arguments.editor or EDITORS:
            plan = plan_for(editor, stories, keys, server, arguments.runs, images.resolve())
            for story, runs in play(editor, plan, folder).items():
                measured.setdefault(story, {})[editor] = runs
    return measured


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="write the table from the seconds that are there")
    parser.add_argument("--editor", action="append", choices=EDITORS)
    parser.add_argument("--story", action="append", help="its name")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--redraft", type=pathlib.Path, default=ROOT / "build" / "redraft", help="the program")
    parser.add_argument("--draft", type=pathlib.Path, metavar="DIR", help="pictures go there, and no figure is written down")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    told = load()
    stories = told["stories"]
    if arguments.table:
        return write_document(stories)
    wanted = [story for story in stories if not arguments.story or story["name"] in arguments.story]
    if not wanted:
        raise SystemExit(f"there is no such story; there are {', '.join(story['name'] for story in stories)}")
    where = conditions(arguments.runs)
    measured = play_all(arguments, wanted, told["keys"])
    if arguments.draft:
        return
    if arguments.story or arguments.editor:
        return print("no figures are written down: they belong to one machine and one day, so all stories are played for them")
    where["load"].append(round(os.getloadavg()[0], 1))
    SECONDS.write_text(json.dumps({"conditions": where, "stories": measured}, indent=2) + "\n", encoding="utf-8")
    write_document(stories)


if __name__ == "__main__":
    main()
