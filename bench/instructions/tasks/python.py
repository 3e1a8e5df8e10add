from ..checks import annotated, body, count, docstring, file, nodes, signature
from ..judge import PYTHON, Task

RETRYING = "pip/retrying/retrying.py"
TEXTTABLE = "pip/texttable/texttable.py"
DOTENV = "pip/python-dotenv/dotenv/main.py"
REPORTS = "own/python/reports.py"

TASKS = [
    Task(
        id="python/add-docstring", language=PYTHON, file=RETRYING, instruction="add a docstring",
        at="exponential_sleep(self, previous", within=("Retrying.exponential_sleep",),
        checks=[docstring("Retrying.exponential_sleep"), body("Retrying.exponential_sleep", has=r"2 ?\*\* ?previous_attempt_number")],
        test="from retrying import Retrying\n"
             "assert Retrying(wait_exponential_multiplier=2).exponential_sleep(3, 0) == 16\n"),
    Task(
        id="python/add-type-hints", language=PYTHON, file=RETRYING, instruction="add type hints",
        at="result = self._wait_incrementing_start + (", within=("Retrying.incrementing_sleep",),
        checks=[annotated("Retrying.incrementing_sleep"),
                signature("Retrying.incrementing_sleep", has=r"previous_attempt_number: ?[^:=]+, delay_since_first_attempt_ms: ?\w")],
        test="from retrying import Retrying\n"
             "r = Retrying(wait_incrementing_start=10, wait_incrementing_increment=5)\n"
             "assert r.incrementing_sleep(3, 0) == 20\n"),
    Task(
        id="python/extract-helper", language=PYTHON, file=RETRYING,
        instruction="extract the current time in milliseconds into a helper",
        at="delay_since_first_attempt_ms = int(round(", within=("Retrying.call",), adds=r"^(Retrying\.)?\w+$",
        checks=[count(r"\btime\.time(_ns)?\(\)", 1, 1)],
        test="from retrying import Retrying\n"
             "left = [ValueError(), ValueError()]\n"
             "def flaky():\n"
             "    if left:\n"
             "        raise left.pop()\n"
             "    return 7\n"
             "assert Retrying(wait_fixed=1, stop_max_delay=10000).call(flaky) == 7\n"
             "def never():\n"
             "    raise ValueError()\n"
             "try:\n"
             "    Retrying(wait_fixed=30, stop_max_delay=100).call(never)\n"
             "    assert False\n"
             "except ValueError:\n"
             "    pass\n"),
    Task(
        id="python/use-f-string", language=PYTHON, file=TEXTTABLE, instruction="use an f-string",
        at='sys.stderr.write("UnicodeDecodeError', within=("obj2unicode",),
        checks=[body("obj2unicode", has=r"f[\"']UnicodeDecodeError.*\{obj", lacks=[r"%s", r"[\"'] % "])],
        test="import io, sys\n"
             "from texttable import obj2unicode\n"
             "sys.stderr = io.StringIO()\n"
             "text = obj2unicode(b'a\\xff')\n"
             "said, sys.stderr = sys.stderr.getvalue(), sys.__stderr__\n"
             "assert text == 'a\\ufffd', text\n"
             "assert said.startswith(\"UnicodeDecodeError exception for string 'b'a\\\\xff'': 'utf\"), said\n"
             "assert obj2unicode(3) == '3'\n"),
    Task(
        id="python/return-early", language=PYTHON, file=RETRYING,
        instruction="return early, without the variable reject",
        at="reject = False", within=("Retrying.should_reject",),
        checks=[nodes("Retrying.should_reject", "return_statement", 1),
                body("Retrying.should_reject", lacks=r"\breject\b", has=[r"_retry_on_exception", r"_retry_on_result"])],
        test="from retrying import Attempt, Retrying\n"
             "r = Retrying(retry_on_result=lambda value: value == 1, retry_on_exception=lambda e: e == 'bad')\n"
             "found = [r.should_reject(Attempt(*each)) for each in\n"
             "         ((1, 1, False), (2, 1, False), ((0, 'bad', 0), 1, True), ((0, 'good', 0), 1, True))]\n"
             "assert [bool(each) for each in found] == [True, False, True, False], found\n"),
    Task(
        id="python/add-parameter", language=PYTHON, file=DOTENV,
        instruction="add a parameter default, default None, that is returned if the key is missing",
        at="def get(self, key: str)", within=("DotEnv.get",),
        checks=[signature("DotEnv.get", has=r"key: str, (\*, )?default\b[^=]*= ?None"), body("DotEnv.get", has=[r"\bdefault\b(?!\s*[:=])", r"logger\.warning\("])],
        test="import io\n"
             "from dotenv.main import DotEnv\n"
             "env = DotEnv(None, stream=io.StringIO('A=1\\n'))\n"
             "assert env.get('A', default='x') == '1'\n"
             "assert env.get('B', default='x') == 'x'\n"
             "assert env.get('B') is None\n"),
    Task(
        id="python/fix-imports", language=PYTHON, file=DOTENV,
        instruction="import Iterable, Iterator and Mapping from collections.abc",
        at="from typing import IO, Dict",
        checks=[file(has=[rf"^from collections\.abc import \(?[\w\s,]*\b{name}\b" for name in ("Iterable", "Iterator", "Mapping")],
                     lacks=r"^from typing import \(?[\w\s,]*\b(Iterable|Iterator|Mapping)\b"),
                file(has=[r"^from collections import OrderedDict$", r"^from typing import \(?[\w\s,]*\bOptional\b"])],
        test="from dotenv.main import Iterable, Iterator, Mapping, OrderedDict, Tuple\n"
             "assert {each.__module__ for each in (Iterable, Iterator, Mapping)} == {'collections.abc'}\n"),
    Task(
        id="python/add-constant", language=PYTHON, file=TEXTTABLE, instruction="add FOOTER with the next bit",
        at="VLINES = 1 << 3", lines=r"^FOOTER = ",
        checks=[count(r"^    (BORDER|HEADER|HLINES|VLINES) = 1", 4, 4), count(r"^    FOOTER = ", 1, 1)],
        test="from texttable import Texttable\n"
             "assert Texttable.FOOTER == 16 and Texttable.VLINES == 8\n"
             "assert Texttable().set_deco(Texttable.BORDER)\n"),
    Task(
        id="python/use-pathlib", language=PYTHON, file=REPORTS, instruction="use pathlib",
        at="for name in sorted(os.listdir(folder)):", within=("find_reports",),
        checks=[body("find_reports", has=r"\bPath\(", lacks=r"\bos\."),
                file(has=r"^\s*(from pathlib import|import pathlib)")],
        test="import os, tempfile\n"
             "from reports import find_reports\n"
             "with tempfile.TemporaryDirectory(dir='.') as folder:\n"
             "    for name in ('b.csv', 'a.csv', 'c.txt'):\n"
             "        open(os.path.join(folder, name), 'w').close()\n"
             "    os.mkdir(os.path.join(folder, 'd.csv'))\n"
             "    assert [os.path.basename(str(each)) for each in find_reports(folder)] == ['a.csv', 'b.csv']\n"),
    Task(
        id="python/make-async", language=PYTHON, file=REPORTS, instruction="make this async",
        at="def poll(is_ready", within=("poll",),
        checks=[signature("poll", has=r"async def poll\(is_ready, tries=5, pause=0\.5\)"),
                body("poll", has=r"await (asyncio\.)?sleep\(pause\)", lacks=r"time\.sleep"),
                file(has=r"^\s*(from|import) asyncio\b")],
        test="import asyncio\n"
             "from reports import poll\n"
             "class Answer:  # of a function that may be async or not\n"
             "    def __init__(self, value):\n"
             "        self.value = value\n"
             "    def __bool__(self):\n"
             "        return self.value\n"
             "    def __await__(self):\n"
             "        return self.value\n"
             "        yield\n"
             "answers = [True, False, False]\n"
             "assert asyncio.run(poll(lambda: Answer(answers.pop()), pause=0.001)) is True\n"
             "assert asyncio.run(poll(lambda: Answer(False), tries=2, pause=0.001)) is False\n"),
    Task(
        id="python/handle-empty", language=PYTHON, file=REPORTS, instruction="return 0 for an empty list",
        at="return sum(values) / len(values)", within=("average",),
        checks=[docstring("average"), body("average", has=r"\b(if|or|and|try|max)\b")],
        test="from reports import average\n"
             "assert average([]) == 0\n"
             "assert average([1, 2]) == 1.5\n"),
    Task(
        id="python/comprehension", language=PYTHON, file=REPORTS, instruction="replace the loop by a comprehension",
        at="    names = []", to="    return names", within=("paid_names",),
        checks=[nodes("paid_names", "list_comprehension", 1), nodes("paid_names", "for_statement", 0, 0), docstring("paid_names")],
        test="from reports import paid_names\n"
             "rows = [{'name': ' a ', 'paid': 'yes'}, {'name': 'b', 'paid': 'no'}]\n"
             "assert paid_names(rows) == ['a']\n"),
]
