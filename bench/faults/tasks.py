"""Sixteen faults, each in one of two files: what is right stands in the other one.

A fault's message is the compiler's own; Python's are as Pyright words them. The test ends with 0 if what was written does what
it should.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Fault:
    id: str  # "python/missing-argument"
    other: tuple  # name and text of the file that has the definition
    file: tuple  # name and text of the one with the fault
    at: str  # the fault: a part of a line that the file has once
    right: str  # what mends it in its place
    test: str  # Python: a program; else the text of a file that is compiled with the two
    message: str = ""  # empty: ask the compiler


PYTHON = [
    Fault("python/missing-argument",
          ("mail.py", 'SENT = []\n\n\ndef send_mail(address, subject, body):\n    """Puts a message in the queue."""\n'
                      "    SENT.append((address, subject, body))\n"),
          ("users.py", "from mail import send_mail\n\n\ndef welcome(user):\n    text = f\"Hello {user['name']}\"\n"
                       "    subject = \"Welcome\"\n    send_mail(user[\"address\"], subject)\n    return text\n"),
          "send_mail(user[\"address\"], subject)", "send_mail(user[\"address\"], subject, text)",
          "import mail, users\nusers.welcome({'name': 'A', 'address': 'a@b'})\nassert mail.SENT == [('a@b', 'Welcome', 'Hello A')]\n",
          'Argument missing for parameter "body"'),
    Fault("python/other-method",
          ("cart.py", "class Cart:\n    def __init__(self):\n        self.items = {}\n\n    def put(self, item, count=1):\n"
                      "        self.items[item] = self.items.get(item, 0) + count\n\n    def total(self, prices):\n"
                      "        return sum(prices[item] * count for item, count in self.items.items())\n"),
          ("shop.py", "from cart import Cart\n\n\ndef fill(names):\n    cart = Cart()\n    for name in names:\n"
                      "        cart.add_item(name)\n    return cart\n"),
          "cart.add_item(name)", "cart.put(name)",
          "import shop\nassert shop.fill(['a', 'b', 'a']).items == {'a': 2, 'b': 1}\n",
          'Cannot access attribute "add_item" for class "Cart"\n  Attribute "add_item" is unknown'),
    Fault("python/other-keyword",
          ("report.py", "def render(rows, *, separator=\",\", header=None):\n"
                        "    lines = [separator.join(map(str, row)) for row in rows]\n"
                        "    return \"\\n\".join(([separator.join(header)] if header else []) + lines)\n"),
          ("export.py", "from report import render\n\n\ndef export(rows):\n    return render(rows, delimiter=\";\")\n"),
          "render(rows, delimiter", "render(rows, separator",
          "import export\nassert export.export([[1, 2]]) == '1;2'\n",
          'No parameter named "delimiter"'),
    Fault("python/enum-member",
          ("level.py", "import enum\n\n\nclass Level(enum.Enum):\n    LOW = 1\n    MEDIUM = 2\n    URGENT = 3\n"),
          ("queue_of.py", "from level import Level\n\n\ndef is_first(job):\n    return job[\"level\"] is Level.HIGH\n"),
          "Level.HIGH", "Level.URGENT",
          "import level, queue_of\nassert queue_of.is_first({'level': level.Level.URGENT})\n",
          'Cannot access attribute "HIGH" for class "type[Level]"\n  Attribute "HIGH" is unknown'),
    Fault("python/tuple-size",
          ("image.py", "def size_of(image):\n    \"\"\"Width, height and number of channels.\"\"\"\n"
                       "    return len(image[0]), len(image), len(image[0][0])\n"),
          ("crop.py", "from image import size_of\n\n\ndef is_wide(image):\n    width, height = size_of(image)\n    return width > height\n"),
          "width, height = size_of", "width, height, _ = size_of",
          "import crop\nassert crop.is_wide([[[1, 2, 3], [1, 2, 3]]])\n",
          'Expression with type "tuple[int, int, int]" cannot be assigned to target tuple\n  Type "tuple[int, int, int]" is '
          "incompatible with target tuple\n    Tuple size mismatch; expected 2 but received 3"),
]

_GO_STORE = ("store.go", "package shop\n\n// Store keeps texts by their keys.\ntype Store struct {\n\ttexts map[string]string\n}\n\n"
             "// NewStore returns an empty store.\nfunc NewStore() *Store {\n\treturn &Store{texts: map[string]string{}}\n}\n\n"
             "// Lookup returns the text of a key, and whether there is one.\nfunc (s *Store) Lookup(key string) (string, bool) {\n"
             "\ttext, found := s.texts[key]\n\treturn text, found\n}\n\n// Put keeps a text.\n"
             "func (s *Store) Put(key string, text string, overwrite bool) bool {\n\tif _, found := s.texts[key]; found && !overwrite {\n"
             "\t\treturn false\n\t}\n\ts.texts[key] = text\n\treturn true\n}\n\n// Label is what a shelf says.\ntype Label struct {\n"
             "\tTitle string\n\tCents int\n}\n")


def _go(code):
    return "package shop\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) {\n" + code + "}\n"


GO = [
    Fault("go/other-method", _GO_STORE,
          ("read.go", "package shop\n\n// Read returns a text, or what is there without one.\n"
                      "func Read(store *Store, key string, otherwise string) string {\n\tif text, found := store.Get(key); found {\n"
                      "\t\treturn text\n\t}\n\treturn otherwise\n}\n"),
          "store.Get(key)", "store.Lookup(key)",
          _go("\ts := NewStore()\n\ts.Put(\"a\", \"b\", true)\n\tif Read(s, \"a\", \"\") != \"b\" || Read(s, \"x\", \"y\") != \"y\" {\n\t\tt.Fatal()\n\t}\n")),
    Fault("go/missing-argument", _GO_STORE,
          ("write.go", "package shop\n\n// Replace keeps a text in place of the one that is there.\n"
                       "func Replace(store *Store, key, text string) bool {\n\treturn store.Put(key, text)\n}\n"),
          "store.Put(key, text)", "store.Put(key, text, true)",
          _go("\ts := NewStore()\n\ts.Put(\"a\", \"b\", true)\n\tif !Replace(s, \"a\", \"c\") {\n\t\tt.Fatal()\n\t}\n")),
    Fault("go/unknown-field", _GO_STORE,
          ("label.go", "package shop\n\n// NewLabel is the label of goods at a price in cents.\n"
                       "func NewLabel(name string, price int) Label {\n\treturn Label{Name: name, Price: price}\n}\n"),
          "Label{Name: name, Price: price}", "Label{Title: name, Cents: price}",
          _go("\tif l := NewLabel(\"a\", 3); l.Title != \"a\" || l.Cents != 3 {\n\t\tt.Fatal()\n\t}\n")),
    Fault("go/one-value", _GO_STORE,
          ("first.go", "package shop\n\n// First returns the first text that there is; empty: there is none.\n"
                       "func First(store *Store, keys []string) string {\n\tfor _, key := range keys {\n"
                       "\t\ttext := store.Lookup(key)\n\t\tif text != \"\" {\n\t\t\treturn text\n\t\t}\n\t}\n\treturn \"\"\n}\n"),
          "text := store.Lookup(key)", "text, _ := store.Lookup(key)",
          _go("\ts := NewStore()\n\ts.Put(\"b\", \"c\", true)\n\tif First(s, []string{\"a\", \"b\"}) != \"c\" {\n\t\tt.Fatal()\n\t}\n")),
]

_CPP_SHAPE = ("shape.h", "#pragma once\n\n#include <string>\n#include <vector>\n\nenum class Style { kPlain, kDashed, kDotted };\n\n"
              "class Canvas {\n public:\n  Canvas(int width, int height) : width_(width), height_(height) {}\n"
              "  int area() const { return width_ * height_; }\n  int stroke_count() const { return n_strokes_; }\n"
              "  void draw_line(int from, int to, Style style) {\n    n_strokes_ += style == Style::kDashed ? to - from : 1;\n  }\n\n"
              " private:\n  int width_, height_, n_strokes_ = 0;\n};\n")


def _main(code):
    return '#include "edited.cc"\n\nint main() { ' + code + " }\n"


CPP = [
    Fault("cpp/other-method", _CPP_SHAPE,
          ("edited.cc", '#include "shape.h"\n\nbool is_empty(const Canvas& canvas) {\n  return canvas.strokes() == 0;\n}\n'),
          "canvas.strokes()", "canvas.stroke_count()", _main("return is_empty(Canvas(1, 2)) ? 0 : 1;")),
    Fault("cpp/missing-argument", _CPP_SHAPE,
          ("edited.cc", '#include "shape.h"\n\nvoid draw_dashes(Canvas& canvas, int length) {\n  canvas.draw_line(0, length);\n}\n'),
          "canvas.draw_line(0, length)", "canvas.draw_line(0, length, Style::kDashed)",
          _main("Canvas canvas(1, 2); draw_dashes(canvas, 5); return canvas.stroke_count() == 5 ? 0 : 1;")),
    Fault("cpp/constructor", _CPP_SHAPE,
          ("edited.cc", '#include "shape.h"\n\nCanvas square(int side) {\n  return Canvas(side);\n}\n'),
          "return Canvas(side)", "return Canvas(side, side)", _main("return square(3).area() == 9 ? 0 : 1;")),
    Fault("cpp/enum-member", _CPP_SHAPE,
          ("edited.cc", '#include "shape.h"\n\nvoid draw_dots(Canvas& canvas) {\n  canvas.draw_line(0, 4, Style::Dotted);\n}\n'),
          "Style::Dotted", "Style::kDotted", _main("Canvas canvas(1, 2); draw_dots(canvas); return canvas.stroke_count() == 1 ? 0 : 1;")),
]

_RUST_QUEUE = ("queue.rs", "/// Jobs that wait.\npub struct Queue {\n    jobs: Vec<String>,\n}\n\n/// How jobs are run.\npub struct Options {\n"
               "    pub threads: usize,\n    pub retries: u32,\n}\n\nimpl Queue {\n    pub fn new() -> Self {\n        Queue { jobs: Vec::new() }\n"
               "    }\n\n    pub fn push(&mut self, name: &str, urgent: bool) {\n        let at = if urgent { 0 } else { self.jobs.len() };\n"
               "        self.jobs.insert(at, name.to_string());\n    }\n\n    pub fn count(&self) -> usize {\n        self.jobs.len()\n    }\n\n"
               "    pub fn first(&self) -> Option<&str> {\n        self.jobs.first().map(|job| job.as_str())\n    }\n}\n")


def _rust(code):
    return "mod edited;\nmod queue;\n\nfn main() {\n" + code + "}\n"


RUST = [
    Fault("rust/other-method", _RUST_QUEUE,
          ("edited.rs", "use crate::queue::Queue;\n\npub fn is_idle(queue: &Queue) -> bool {\n    queue.len() == 0\n}\n"),
          "queue.len() == 0", "queue.count() == 0", _rust("    assert!(edited::is_idle(&queue::Queue::new()));\n")),
    Fault("rust/missing-argument", _RUST_QUEUE,
          ("edited.rs", "use crate::queue::Queue;\n\n/// Adds a job that runs before all others.\n"
                        "pub fn push_first(queue: &mut Queue, name: &str) {\n    queue.push(name);\n}\n"),
          "queue.push(name)", "queue.push(name, true)",
          _rust("    let mut q = queue::Queue::new();\n    q.push(\"a\", false);\n    edited::push_first(&mut q, \"b\");\n"
                "    assert_eq!(q.first(), Some(\"b\"));\n")),
    Fault("rust/missing-field", _RUST_QUEUE,
          ("edited.rs", "use crate::queue::Options;\n\n/// One thread, and no second try.\npub fn careful() -> Options {\n"
                        "    Options { threads: 1 }\n}\n"),
          "Options { threads: 1 }", "Options { threads: 1, retries: 0 }", _rust("    let o = edited::careful();\n    assert_eq!((o.threads, o.retries), (1, 0));\n")),
]

FAULTS = PYTHON + GO + CPP + RUST
