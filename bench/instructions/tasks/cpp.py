"""C++: LevelDB's older style, and a file of ours in a newer one."""

from ..checks import body, count, documented, file, nodes, renamed, signature
from ..judge import CPP, Task

LEVELDB = "npm/leveldown/deps/leveldb/leveldb-1.20/"
CODING, FILENAME, HISTOGRAM = LEVELDB + "util/coding.cc", LEVELDB + "db/filename.cc", LEVELDB + "util/histogram.cc"
SHAPES = "own/cpp/shapes.cc"
FILENAME_UNITS = ("util/logging.cc", "util/env.cc", "util/status.cc")
NAMES = ('#include "db/filename.h"\n#include "leveldb/env.h"\n'
         "namespace leveldb { Env* Env::Default() { return nullptr; } }\n"
         "int main() {\n"
         '  if (leveldb::LogFileName("d", 7) != "d/000007.log") return 1;\n'
         '  return leveldb::TableFileName("d", 1234567) == "d/1234567.ldb" ? 0 : 2;\n}\n')
SMALL_HISTOGRAM = ('#include "util/histogram.h"\n#include <string>\n'
                   "int main() {\n  leveldb::Histogram h;\n  h.Clear();\n  for (double v : {3.0, 1.0, 900.0, 900.0}) h.Add(v);\n"
                   "  const std::string text = h.ToString();\n")
OPEN_HISTOGRAM = '#include <string>\n#define private public\n#include "util/histogram.h"\n#undef private\n'
AREAS = ('#include "edited.cc"\nint main() {\n  plan::Plan p;\n  p.add(std::make_unique<plan::Square>(2.0));\n'
         "  p.add(std::make_unique<plan::Square>(3.0));\n  const plan::Plan& fixed = p;\n")

TASKS = [
    Task(
        id="cpp/use-nullptr", language=CPP, file=CODING, instruction="use nullptr instead of NULL",
        at="p = GetVarint32Ptr(p, limit, &len);", within=("GetLengthPrefixedSlice",),
        checks=[count(r"\bnullptr\b", 3, 3), count(r"\bNULL\b", 4, 4)],
        test='#include "util/coding.h"\n#include <string>\n'
             "namespace leveldb { const char* GetLengthPrefixedSlice(const char* p, const char* limit, Slice* result); }\n"
             "int main() {\n  leveldb::Slice out, in(\"\\3abc\", 4);\n"
             "  const char* end = leveldb::GetLengthPrefixedSlice(in.data(), in.data() + 4, &out);\n"
             '  if (end != in.data() + 4 || out.ToString() != "abc") return 1;\n'
             "  return leveldb::GetLengthPrefixedSlice(in.data(), in.data() + 2, &out) ? 2 : 0;\n}\n"),
    Task(
        id="cpp/add-comment", language=CPP, file=FILENAME, instruction="add a comment that says what this does",
        at="std::string MakeFileName(const", within=("MakeFileName",),
        checks=[documented("MakeFileName")], units=FILENAME_UNITS, test=NAMES),
    Task(
        id="cpp/handle-empty", language=CPP, file=HISTOGRAM, instruction="return 0 if there are no values",
        at="double threshold = num_ * (p / 100.0);", within=("Histogram::Percentile",),
        checks=[body("Histogram::Percentile", has=r"num_ ?(==|<=?|>|!=|\?)|!num_|== ?num_\b")],
        test=OPEN_HISTOGRAM + 'int main() {\n  leveldb::Histogram h;\n  h.Clear();\n'
             "  if (h.Percentile(50) != 0) return 1;\n  h.Add(4);\n  return h.Percentile(50) == 4 ? 0 : 2;\n}\n"),
    Task(
        id="cpp/use-min-max", language=CPP, file=HISTOGRAM, instruction="use std::min and std::max",
        at="if (other.min_ < min_) min_ = other.min_;", within=("Histogram::Merge",),
        checks=[body("Histogram::Merge", has=[r"min_ = std::min", r"max_ = std::max"], lacks=r"\bif \(")],
        test=OPEN_HISTOGRAM + 'int main() {\n  leveldb::Histogram a, b;\n  a.Clear();\n  b.Clear();\n'
             "  a.Add(5);\n  b.Add(1);\n  b.Add(9);\n  a.Merge(b);\n"
             "  return a.Percentile(0.001) < 2 && a.Percentile(100) == 9 && a.Average() == 5 ? 0 : 1;\n}\n"),
    Task(
        id="cpp/rename-variable", language=CPP, file=CODING, instruction="rename ptr to out",
        at="*(ptr++) = (v & (B-1)) | B;", within=("EncodeVarint64",),
        checks=[renamed("EncodeVarint64", "ptr", "out"), signature("EncodeVarint64", has=r"EncodeVarint64\(char ?\* ?dst, uint64_t v\)")],
        test='#include "util/coding.h"\nint main() {\n  char b[10];\n  const char* end = leveldb::EncodeVarint64(b, 300);\n'
             "  return end == b + 2 && b[0] == char(0xac) && b[1] == 2 ? 0 : 1;\n}\n"),
    Task(
        id="cpp/add-parameter", language=CPP, file=FILENAME, instruction="add a parameter int width, default 6, for the digits",
        at="const char* suffix) {", within=("MakeFileName",),
        checks=[signature("MakeFileName", has=r"const char ?\* ?suffix, (const )?int width ?= ?6\)"),
                body("MakeFileName", has=r"\bwidth\b[\s\S]*\bwidth\b")],
        units=FILENAME_UNITS, test=NAMES.replace('"db/filename.h"', '"edited.cc"').replace(
            "int main() {", 'int main() {\n  if (leveldb::MakeFileName("d", 7, "x", 3) != "d/007.x") return 3;')),
    Task(
        id="cpp/extract-helper", language=CPP, file=HISTOGRAM,
        instruction="extract the hash marks into a static function HashMarks that takes the share",
        at="// Add hash marks based on percentage", within=("Histogram::ToString",), adds=r"^HashMarks$",
        checks=[body("Histogram::ToString", has=r"HashMarks\(", lacks=r"20 ?\*"),
                file(has=r"static [\w:&* ]+ HashMarks\(")], uncomments=True,
        test=SMALL_HISTOGRAM + '  return text.find("% ##########\\n") != text.npos && text.find("25.000%  25.000% #####\\n") != text.npos ? 0 : 1;\n}\n'),
    Task(
        id="cpp/fix-includes", language=CPP, file=HISTOGRAM, instruction="use the C++ headers cmath and cstdio",
        at="#include <math.h>", lines=r"^#include <",
        checks=[file(has=[r"^#include <cmath>", r"^#include <cstdio>", r'^#include "port/port.h"', r'^#include "util/histogram.h"'],
                     lacks=r"<(math|stdio)\.h>")],
        test=SMALL_HISTOGRAM + '  return text.find("Count: 4") == 0 ? 0 : 1;\n}\n'),
    Task(
        id="cpp/make-const", language=CPP, file=SHAPES, instruction="make it const",
        at="size() { return shapes_.size(); }", within=("Plan.size",),
        checks=[signature("Plan.size", has=r"size\(\) const( noexcept)? ?$", lacks=r"const (std::)?size_t")],
        test=AREAS + "  return fixed.size() == 2 ? 0 : 1;\n}\n"),
    Task(
        id="cpp/use-unique-ptr", language=CPP, file=SHAPES, instruction="use unique_ptr",
        at="Square* square = new Square(side);", within=("legend",),
        checks=[body("legend", has=r"(std::make_unique<Square>|std::unique_ptr<Square>)", lacks=r"\bdelete\b"),
                signature("legend", has=r"std::string legend\(double side\)")],
        test='#include "edited.cc"\nint main() { return plan::legend(2) == "square 4.000000" ? 0 : 1; }\n'),
    Task(
        id="cpp/mark-override", language=CPP, file=SHAPES, instruction="mark it override",
        at='return "square";', within=("Square.name",),
        checks=[signature("Square.name", has=r"name\(\) const (override|final) ?$")],
        test=AREAS + '  return plan::Square(1).name() == "square" && fixed.area() == 13 ? 0 : 1;\n}\n'),
    Task(
        id="cpp/range-for", language=CPP, file=SHAPES, instruction="use a range-based for loop",
        at="for (std::size_t i = 0; i < shapes_.size(); ++i) {", to="    }\n", within=("Plan.area",),
        checks=[nodes("Plan.area", "for_range_loop", 1, 1), nodes("Plan.area", "for_statement", 0, 0)],
        test=AREAS + "  return fixed.area() == 13 ? 0 : 1;\n}\n"),
]
