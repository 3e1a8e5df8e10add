#!/usr/bin/env python3
"""Small commits of which the rest follows from the first change, as task files of `redraft bench quality`.

    bench/next_edit_cases.py > cases.jsonl
    redraft bench quality --measure next-edits --data cases.jsonl

Four kinds of changes in four languages: a name that is written another way, a type, a parameter that is added, and a
signature whose parameters trade places. The first pair of each is the change that the person makes, the others are what
has to follow, and the lines between them must not change. No two of the lines that follow are the same: what needs no
model (docs/completion.md) is not what these are about.
"""

import json

# (kind, path, language, the text before, [(old, new), in the order of lines])
CASES = [
    ("rename", "stock.py", "python", '''\
class Stock:
    def __init__(self):
        self.items = {}

    def put(self, name, count):
        self.items[name] = self.items.get(name, 0) + count

    def is_empty(self):
        return not self.items


def report(stock, names):
    lines = []
    for name in names:
        if name in stock.items:
            lines.append(f"{name}: {stock.items[name]}")
    return lines


def clear(stock):
    if stock.is_empty():
        return 0
    removed = len(stock.items)
    stock.items = {}
    return removed
''', [("        self.items = {}", "        self.counts = {}"),
      ("self.items[name] = self.items.get(name, 0)", "self.counts[name] = self.counts.get(name, 0)"),
      ("return not self.items", "return not self.counts"),
      ("if name in stock.items:\n            lines.append(f\"{name}: {stock.items[name]}\")",
       "if name in stock.counts:\n            lines.append(f\"{name}: {stock.counts[name]}\")"),
      ("removed = len(stock.items)\n    stock.items = {}", "removed = len(stock.counts)\n    stock.counts = {}")]),
    ("rename", "queue.ts", "typescript", '''\
export class JobQueue {
  private waiting: Job[] = [];
  private running = 0;

  add(job: Job): void {
    this.waiting.push(job);
    this.start();
  }

  get length(): number {
    return this.waiting.length + this.running;
  }

  private start(): void {
    while (this.running < this.limit) {
      const next = this.waiting.shift();
      if (!next) {
        return;
      }
      this.run(next);
    }
  }
}
''', [("private waiting: Job[] = []", "private pending: Job[] = []"),
      ("this.waiting.push(job)", "this.pending.push(job)"),
      ("return this.waiting.length", "return this.pending.length"),
      ("this.waiting.shift()", "this.pending.shift()")]),
    ("rename", "timer.go", "go", '''\
package clock

// Timer measures how long something takes.
type Timer struct {
	begin time.Time
	laps  []time.Duration
}

func NewTimer() *Timer {
	return &Timer{begin: time.Now()}
}

func (t *Timer) Lap() {
	t.laps = append(t.laps, time.Since(t.begin))
}

func (t *Timer) Reset() {
	t.laps = nil
	t.begin = time.Now()
}
''', [("\tbegin time.Time\n\tlaps ", "\tstarted time.Time\n\tlaps "),
      ("&Timer{begin: time.Now()}", "&Timer{started: time.Now()}"),
      ("time.Since(t.begin)", "time.Since(t.started)"),
      ("\tt.begin = time.Now()", "\tt.started = time.Now()")]),
    ("rename", "buffer.cpp", "cpp", '''\
#include "buffer.h"

Buffer::Buffer(std::size_t size) : data_(size), used_(0) {}

bool Buffer::append(char byte) {
  if (used_ == data_.size()) return false;
  data_[used_++] = byte;
  return true;
}

void Buffer::clear() {
  std::fill(data_.begin(), data_.end(), 0);
  used_ = 0;
}

std::size_t Buffer::room() const {
  return data_.size() - used_;
}
''', [("data_(size), used_(0)", "data_(size), length_(0)"),
      ("if (used_ == data_.size()) return false;\n  data_[used_++] = byte",
       "if (length_ == data_.size()) return false;\n  data_[length_++] = byte"),
      ("  used_ = 0;", "  length_ = 0;"),
      ("data_.size() - used_", "data_.size() - length_")]),
    ("type", "prices.py", "python", '''\
def total(prices: list[float]) -> float:
    result = 0.0
    for price in prices:
        result += price
    return result


def average(prices: list[float]) -> float:
    if not prices:
        return 0.0
    return total(prices) / len(prices)


def dearest(prices: list[float], default: float) -> float:
    return max(prices, default=default)
''', [("def total(prices: list[float]) -> float:\n    result = 0.0",
       "def total(prices: list[Decimal]) -> Decimal:\n    result = Decimal(0)"),
      ("def average(prices: list[float]) -> float:\n    if not prices:\n        return 0.0",
       "def average(prices: list[Decimal]) -> Decimal:\n    if not prices:\n        return Decimal(0)"),
      ("prices: list[float], default: float) -> float", "prices: list[Decimal], default: Decimal) -> Decimal")]),
    ("type", "users.ts", "typescript", '''\
export interface User {
  id: number;
  name: string;
}

export function find(users: User[], id: number): User | undefined {
  return users.find((user) => user.id === id);
}

export function names(users: User[]): string[] {
  return users.map((user) => user.name);
}

export function remove(users: User[], id: number): User[] {
  return users.filter((user) => user.id !== id);
}
''', [("  id: number;", "  id: string;"),
      ("find(users: User[], id: number)", "find(users: User[], id: string)"),
      ("remove(users: User[], id: number)", "remove(users: User[], id: string)")]),
    ("type", "limits.go", "go", '''\
package limits

type Limits struct {
	MaxBytes int
	MaxFiles int
}

func (l Limits) Allows(bytes int, files int) bool {
	return bytes <= l.MaxBytes && files <= l.MaxFiles
}

func Default() Limits {
	return Limits{MaxBytes: 1 << 20, MaxFiles: 100}
}

func (l Limits) Left(bytes int) int {
	return l.MaxBytes - bytes
}
''', [("\tMaxBytes int\n", "\tMaxBytes int64\n"),
      ("Allows(bytes int, files int)", "Allows(bytes int64, files int)"),
      ("Left(bytes int) int", "Left(bytes int64) int64")]),
    ("type", "scale.cpp", "cpp", '''\
#include "scale.h"

float scaled(float value, float factor) {
  return value * factor;
}

int rounded(float value) {
  return static_cast<int>(value + 0.5F);
}

std::vector<float> scaled(const std::vector<float>& values, float factor) {
  std::vector<float> result;
  for (const float value : values) result.push_back(scaled(value, factor));
  return result;
}
''', [("float scaled(float value, float factor) {", "double scaled(double value, double factor) {"),
      ("int rounded(float value) {\n  return static_cast<int>(value + 0.5F);",
       "int rounded(double value) {\n  return static_cast<int>(value + 0.5);"),
      ("std::vector<float> scaled(const std::vector<float>& values, float factor) {\n  std::vector<float> result;\n"
       "  for (const float value",
       "std::vector<double> scaled(const std::vector<double>& values, double factor) {\n  std::vector<double> result;\n"
       "  for (const double value")]),
    ("parameter", "mail.py", "python", '''\
def send(address, text):
    connection = connect(address)
    connection.write(text)
    connection.close()


def greet(user):
    send(user.address, f"Hello {user.name}")


def warn(users, reason):
    for user in users:
        send(user.address, "Warning: " + reason)


def test_greet():
    greet(User("a@b", "Ann"))
    assert sent == ["Hello Ann"]
''', [("def send(address, text):", "def send(address, text, subject):"),
      ("send(user.address, f\"Hello {user.name}\")", "send(user.address, f\"Hello {user.name}\", \"Hello\")"),
      ("send(user.address, \"Warning: \" + reason)", "send(user.address, \"Warning: \" + reason, \"Warning\")")]),
    ("parameter", "draw.ts", "typescript", '''\
export function line(from: Point, to: Point): void {
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
}

export function cross(at: Point, size: number): void {
  line({ x: at.x - size, y: at.y }, { x: at.x + size, y: at.y });
  context.save();
  context.restore();
  line({ x: at.x, y: at.y - size }, { x: at.x, y: at.y + size });
}
''', [("line(from: Point, to: Point): void {\n  context.beginPath();",
       "line(from: Point, to: Point, color: string): void {\n  context.beginPath();\n  context.strokeStyle = color;"),
      ("cross(at: Point, size: number): void {\n  line({ x: at.x - size, y: at.y }, { x: at.x + size, y: at.y });",
       "cross(at: Point, size: number, color: string): void {\n"
       "  line({ x: at.x - size, y: at.y }, { x: at.x + size, y: at.y }, color);"),
      ("line({ x: at.x, y: at.y - size }, { x: at.x, y: at.y + size });",
       "line({ x: at.x, y: at.y - size }, { x: at.x, y: at.y + size }, color);")]),
    ("parameter", "fetch.go", "go", '''\
package fetch

func get(address string) ([]byte, error) {
	return client.Do(address)
}

func Page(name string) ([]byte, error) {
	return get(base + "/pages/" + name)
}

func Image(ctx context.Context, id int) ([]byte, error) {
	if id < 0 {
		return nil, errNoImage
	}
	return get(fmt.Sprintf("%s/images/%d", base, id))
}
''', [("func get(address string) ([]byte, error) {\n\treturn client.Do(address)",
       "func get(ctx context.Context, address string) ([]byte, error) {\n\treturn client.Do(ctx, address)"),
      ("func Page(name string) ([]byte, error) {\n\treturn get(base",
       "func Page(ctx context.Context, name string) ([]byte, error) {\n\treturn get(ctx, base"),
      ("return get(fmt.Sprintf(\"%s/images/%d\", base, id))", "return get(ctx, fmt.Sprintf(\"%s/images/%d\", base, id))")]),
    ("parameter", "log.cpp", "cpp", '''\
#include "log.h"

void write(const std::string& text) {
  std::cerr << text << '\\n';
}

void opened(const File& file) {
  write("opened " + file.name());
}

bool check(const File& file) {
  if (file.size() > 0) return true;
  write(file.name() + " is empty");
  return false;
}
''', [("void write(const std::string& text) {\n  std::cerr << text", "void write(Level level, const std::string& text) {\n"
       "  std::cerr << to_string(level) << \": \" << text"),
      ("write(\"opened \" + file.name());", "write(Level::kInfo, \"opened \" + file.name());"),
      ("write(file.name() + \" is empty\");", "write(Level::kWarning, file.name() + \" is empty\");")]),
    ("order", "area.py", "python", '''\
def area(width, height):
    return width * height


def floor_area(rooms):
    return sum(area(room.width, room.height) for room in rooms)


def fits(room, box):
    return area(box.w, box.h) <= area(room.width, room.height)
''', [("def area(width, height):", "def area(height, width):"),
      ("sum(area(room.width, room.height) for", "sum(area(room.height, room.width) for"),
      ("area(box.w, box.h) <= area(room.width, room.height)", "area(box.h, box.w) <= area(room.height, room.width)")]),
    ("order", "copy.ts", "typescript", '''\
export function copy(source: Folder, target: Folder): number {
  return target.put(source.files());
}

export function backup(folder: Folder): number {
  return copy(folder, archive);
}

export function restore(name: string): number {
  return copy(archive.folder(name), root);
}
''', [("copy(source: Folder, target: Folder)", "copy(target: Folder, source: Folder)"),
      ("copy(folder, archive)", "copy(archive, folder)"),
      ("copy(archive.folder(name), root)", "copy(root, archive.folder(name))")]),
    ("order", "span.go", "go", '''\
package span

func Join(first, second string) string {
	return first + " " + second
}

func Title(name string) string {
	return Join(name, "the Great")
}

func Address(street string, number int) string {
	return Join(street, strconv.Itoa(number))
}
''', [("func Join(first, second string)", "func Join(second, first string)"),
      ("Join(name, \"the Great\")", "Join(\"the Great\", name)"),
      ("Join(street, strconv.Itoa(number))", "Join(strconv.Itoa(number), street)")]),
    ("order", "clamp.cpp", "cpp", '''\
#include "clamp.h"

int clamp(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}

int volume(int wanted) {
  return clamp(wanted, 0, 100);
}

int brightness(int wanted, const Screen& screen) {
  return clamp(wanted, screen.darkest(), screen.brightest());
}
''', [("int clamp(int value, int least, int most)", "int clamp(int least, int value, int most)"),
      ("clamp(wanted, 0, 100)", "clamp(0, wanted, 100)"),
      ("clamp(wanted, screen.darkest(), screen.brightest())", "clamp(screen.darkest(), wanted, screen.brightest())")]),
]


def task_of(kind, path, language, before, pairs):
    """As a line of a commits file. The pairs occur once each, in this order."""
    after, begin = "", 0
    for old, new in pairs:
        at = before.index(old, begin)
        after += before[begin:at] + new
        begin = at + len(old)
    return {"id": f"case/{kind}/{path}", "source": "written for this bench", "language": language, "path": path,
            "commit": kind, "subject": kind, "instruction": kind, "before": before, "after": after + before[begin:]}


def main():
    for case in CASES:
        print(json.dumps(task_of(*case), ensure_ascii=False))


if __name__ == "__main__":
    main()
