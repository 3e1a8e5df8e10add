"""Reads the layers from each folder's CMakeLists.txt and finds violations."""

import pathlib
import re

# External headers that only some folders may include; their owner hides them from the rest.
OWNED_HEADERS = {
    r"(torch|ATen|c10)/": {"decoding/model", "tuning"},
    r"nlohmann/": {"support/json", "decoding/model", "lsp", "lsp/wire", "lsp/settings", "lsp/status", "lsp/features",
                    "bench", "bench/quality", "lab", "lab/bench", "lab/tune", "cli", "cli/common", "tuning", "tuning/data", "tuning/head", "http",
                    "http/api", "remote"},
    r"boost/asio": {"lsp", "lsp/wire", "lsp/host", "http", "remote", "cli", "cli/common"},
    r"boost/beast": {"http", "remote"},
    r"tree_sitter/": {"indexing/syntax"},
    r"pybind11/": {"serving"},
    r"jinja/": {"text/templates"},
    r"CLI/": {"cli", "cli/common"},
    r"spdlog/|fmt/": {"support/log"},
}
# Folders that decide what the model is shown and may write. The same request must have the same answer on a fast machine, on a
# slow one and under load, so nothing there knows how fast the machine is (workspace/engine/prompt_size.h).
STEADY_FOLDERS = ("workspace/edit/", "workspace/completion/", "workspace/next_edit/", "workspace/snippets/", "workspace/apply/",
                  "workspace/documents/")
SPEEDS = re.compile(r"\b(CostCurve|cost_curve|CostCheck|PassCosts|pass_costs|LocalEngine|local_engine|seconds_since|compute_seconds"
                    r"|prefill_seconds|decode_seconds|tokens_per_second|total_tokens_per_second)\b")
CLOCKS = re.compile(r"#\s*include\s*<(chrono|ctime)>|\bClock::|\bstd::chrono\b|\bstd::time\(")
# These wait for a pause in the typing, or for the next keystroke. They start, join and cancel runs, and change no prompt.
CLOCK_FILES = {"workspace/completion/completions.h", "workspace/completion/completions.cpp", "workspace/next_edit/next_edits.cpp"}
SKIPPED_FOLDERS = {"tests", "tools", "editors", "node_modules", ".git"}
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}


def is_skipped(top_folder):
    """Folders without layers, and build folders, whatever their names."""
    return top_folder in SKIPPED_FOLDERS or top_folder.startswith("build")


def _circle(depends):
    """The names of a circle in name -> names, or []."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return []
        path.append(name)
        for each in sorted(depends.get(name, ())):
            if found := visit(each):
                return found
        done.add(path.pop())
        return []

    for name in sorted(depends):
        if found := visit(name):
            return found
    return []


class Layers:
    """The libraries of a source tree: folder -> name, and name -> the names it may include."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.name_of_folder = {}
        self.depends = {}
        for file in sorted(self.root.glob("**/CMakeLists.txt")):
            folder = file.parent.relative_to(self.root)
            if folder.parts and not is_skipped(folder.parts[0]):
                self._read(folder.as_posix(), file.read_text())

    def _read(self, folder, text):
        text = re.sub(r"#.*", "", text)
        for name, arguments in re.findall(r"redraft_library\(\s*(\w+)([^)]*)\)", text):
            lists = dict(re.findall(r"\b(SOURCES|DEPENDS|EXTERNAL)\b((?:\s+(?!SOURCES|DEPENDS|EXTERNAL)\S+)*)", arguments))
            self._add(folder, name, lists.get("DEPENDS", "").split())
        for name in re.findall(r"add_library\(\s*redraft_(\w+)\s+INTERFACE\)", text):
            if folder not in self.name_of_folder:  # else it is a way to link that folder's library
                links = " ".join(re.findall(rf"target_link_libraries\(\s*redraft_{name} INTERFACE([^)]*)\)", text))
                self._add(folder, name, re.findall(r"\bredraft_(\w+)", links))
        for name in re.findall(r"add_executable\(\s*(redraft_lab|redraft)\b", text):
            # Its commands are a library of objects next to it, which is not a layer of its own.
            links = " ".join(re.findall(rf"target_link_libraries\(\s*{name}(?:_commands)?\b([^)]*)\)", text))
            depends = re.findall(r"\bredraft_(\w+)", links)
            self._add(folder, name, {"redraft" if each == "commands" else each for each in depends} - {"lab_commands", name})

    def _add(self, folder, name, depends):
        self.name_of_folder[folder] = name
        self.depends[name] = set(depends)

    def library_of(self, path):
        """The library of the nearest folder above `path` (relative, "text/tokenizer.h"), or None."""
        for folder in pathlib.PurePosixPath(path).parents:
            if folder.as_posix() in self.name_of_folder:
                return self.name_of_folder[folder.as_posix()]
        return None

    def folder_of(self, path):
        for folder in pathlib.PurePosixPath(path).parents:
            if folder.as_posix() in self.name_of_folder:
                return folder.as_posix()
        return None

    def sources(self):
        for path in sorted(self.root.rglob("*")):
            relative = path.relative_to(self.root)
            if path.suffix in SUFFIXES and not is_skipped(relative.parts[0]):
                yield relative.as_posix()

    def cycle(self):
        """Names of libraries that depend on each other in a circle, or []."""
        return _circle(self.depends)

    def top_folders(self):
        """Each top folder, and the other top folders that its libraries may include."""
        tops = {}
        folders = {name: pathlib.PurePosixPath(folder).parts[0] for folder, name in self.name_of_folder.items()}
        for name, names in self.depends.items():
            below = {folders[each] for each in names if each in folders}
            tops.setdefault(folders[name], set()).update(below - {folders[name]})
        return tops

    def top_cycle(self, exceptions=()):
        """Top folders that depend on each other in a circle, or []. `exceptions`: pairs (from, to) to leave out."""
        return _circle({top: {each for each in below if (top, each) not in exceptions}
                        for top, below in self.top_folders().items()})

    def violations(self):
        return [problem for source in self.sources() for problem in self._violations_of(source)]

    def _violations_of(self, source):
        text = (self.root / source).read_text()
        yield from _speeds(source, text)
        own = self.library_of(source)
        if own is None:
            yield f"{source}: belongs to no library"
            return
        for line, opening, included in _includes(text):
            where = f"{source}:{line}: #include {included}"
            for pattern, owners in OWNED_HEADERS.items():
                if re.match(pattern, included) and self.folder_of(source) not in owners:
                    yield f"{where}: only {', '.join(sorted(owners))} may"
            if opening == '"':
                yield from self._own_include(where, own, included)

    def _own_include(self, where, own, included):
        if not (self.root / included).exists():
            yield f"{where}: not a path from the top of the tree"
            return
        target = self.library_of(included)
        if target != own and target not in self.depends[own]:
            yield f"{where}: {own} does not list {target} in DEPENDS"


def _speeds(source, text):
    if not source.startswith(STEADY_FOLDERS):
        return
    for number, line in enumerate(text.splitlines(), 1):
        code = line.partition("//")[0]
        found = SPEEDS.search(code) or (source not in CLOCK_FILES and CLOCKS.search(code))
        if found:
            yield f"{source}:{number}: {found.group(0)}: what decides an answer must not depend on the machine's speed"


def _includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line):
            yield number, found.group(1), found.group(2)
