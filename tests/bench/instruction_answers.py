"""A right answer to each of the instructions, as replacements in its file: what holds for it is what the checks ask for."""

PYTHON = {
    "python/add-docstring": [("        exp = 2**previous", '        """Sleep twice as long after each attempt."""\n        exp = 2**previous')],
    "python/add-type-hints": [
        ("incrementing_sleep(self, previous_attempt_number, delay_since_first_attempt_ms):",
         "incrementing_sleep(self, previous_attempt_number: int, delay_since_first_attempt_ms: int) -> int:")],
    "python/extract-helper": [
        ("        start_time = int(round(time.time() * 1000))", "        start_time = _now_ms()"),
        ("= int(round(time.time() * 1000)) - start_time", "= _now_ms() - start_time"),
        ("class Retrying(object):", "def _now_ms():\n    return int(round(time.time() * 1000))\n\n\nclass Retrying(object):")],
    "python/use-f-string": [
        ("\"UnicodeDecodeError exception for string '%s': %s\\n\" % (obj, strerror)",
         "f\"UnicodeDecodeError exception for string '{obj}': {strerror}\\n\"")],
    "python/return-early": [
        ("        reject = False\n        if attempt", "        if attempt"),
        ("            reject |= self._retry_on_exception", "            return self._retry_on_exception"),
        ("        else:\n            reject |= self._retry_on_result(attempt.value)\n\n        return reject\n",
         "        return self._retry_on_result(attempt.value)\n")],
    "python/add-parameter": [
        ("def get(self, key: str) -> Optional[str]:", "def get(self, key: str, default: Optional[str] = None) -> Optional[str]:"),
        ("key, self.dotenv_path)\n\n        return None\n", "key, self.dotenv_path)\n\n        return default\n")],
    "python/fix-imports": [
        ("from typing import IO, Dict, Iterable, Iterator, Mapping, Optional, Tuple, Union",
         "from typing import IO, Dict, Optional, Tuple, Union"),
        ("from collections import OrderedDict\n", "from collections import OrderedDict\nfrom collections.abc import Iterable, Iterator, Mapping\n")],
    "python/add-constant": [("    VLINES = 1 << 3\n", "    VLINES = 1 << 3\n    FOOTER = 1 << 4\n")],
    "python/use-pathlib": [
        ("import urllib.request\n", "import urllib.request\nfrom pathlib import Path\n"),
        ("    for name in sorted(os.listdir(folder)):\n        path = os.path.join(folder, name)\n"
         "        if os.path.isfile(path) and os.path.splitext(path)[1] == SUFFIX:\n",
         "    for path in sorted(Path(folder).iterdir()):\n        if path.is_file() and path.suffix == SUFFIX:\n")],
    "python/make-async": [("import csv\n", "import asyncio\nimport csv\n"), ("def poll(", "async def poll("),
                          ("        time.sleep(pause)", "        await asyncio.sleep(pause)")],
    "python/handle-empty": [("    return sum(values) / len(values)", "    return sum(values) / len(values) if values else 0")],
    "python/comprehension": [
        ("    names = []\n    for row in rows:\n        if row[\"paid\"] == \"yes\":\n            names.append(row[\"name\"].strip())\n    return names\n",
         "    return [row[\"name\"].strip() for row in rows if row[\"paid\"] == \"yes\"]\n")],
}

JAVASCRIPT = {
    "javascript/add-jsdoc": [
        ("function _resolveHome (", "/**\n * Replaces a leading tilde by the home folder.\n * @param {string} envPath\n * @returns {string}\n */\nfunction _resolveHome (")],
    "javascript/template-literal": [
        ("Math.round(ms / n) + ' ' + name + (isPlural ? 's' : '')", "`${Math.round(ms / n)} ${name}${isPlural ? 's' : ''}`")],
    "javascript/use-const": [(f"var {name} = {value};", f"const {name} = {value};") for name, value in (
        ("s", "1000"), ("m", "s * 60"), ("h", "m * 60"), ("d", "h * 24"), ("w", "d * 7"), ("y", "d * 365.25"))],
    "javascript/add-parameter": [("suggestSimilar(word, candidates) {", "suggestSimilar(word, candidates, minSimilarity = 0.4) {"),
                                 ("  const minSimilarity = 0.4;\n", "")],
    "javascript/for-of": [
        ("    options.forEach((option) => {", "    for (const option of options) {"),
        ("      }\n    });\n    this.negativeOptions.forEach((value, key) => {", "      }\n    }\n    for (const key of this.negativeOptions.keys()) {"),
        ("        this.dualOptions.add(key);\n      }\n    });\n", "        this.dualOptions.add(key);\n      }\n    }\n")],
    "javascript/extract-helper": [
        ("function _instructions (", "function _error (code, message) {\n  const err = new Error(message)\n  err.code = code\n  return err\n}\n\nfunction _instructions ("),
        ("      const err = new Error('INVALID_DOTENV_KEY: Wrong format. Must be in valid uri format like dotenv://:key_1234@dotenvx.com/vault/.env.vault?environment=development')\n"
         "      err.code = 'INVALID_DOTENV_KEY'\n      throw err\n",
         "      throw _error('INVALID_DOTENV_KEY', 'INVALID_DOTENV_KEY: Wrong format. Must be in valid uri format')\n"),
        ("    const err = new Error('INVALID_DOTENV_KEY: Missing key part')\n    err.code = 'INVALID_DOTENV_KEY'\n    throw err\n",
         "    throw _error('INVALID_DOTENV_KEY', 'INVALID_DOTENV_KEY: Missing key part')\n"),
        ("    const err = new Error('INVALID_DOTENV_KEY: Missing environment part')\n    err.code = 'INVALID_DOTENV_KEY'\n    throw err\n",
         "    throw _error('INVALID_DOTENV_KEY', 'INVALID_DOTENV_KEY: Missing environment part')\n"),
        ("    const err = new Error(`NOT_FOUND_DOTENV_ENVIRONMENT: Cannot locate environment ${environmentKey} in your .env.vault file.`)\n"
         "    err.code = 'NOT_FOUND_DOTENV_ENVIRONMENT'\n    throw err\n",
         "    throw _error('NOT_FOUND_DOTENV_ENVIRONMENT', `NOT_FOUND_DOTENV_ENVIRONMENT: Cannot locate environment ${environmentKey} in your .env.vault file.`)\n")],
    "javascript/async-await": [
        ("function loadAccount (service, id) {\n  return service.fetch('/accounts/' + id).then(answer => {\n    if (!answer.ok) {\n"
         "      throw new Error('no account ' + id)\n    }\n    return answer.json()\n  }).then(account => {\n"
         "    cache.set(id, { account, time: Date.now() })\n    return account\n  })\n}\n",
         "async function loadAccount (service, id) {\n  const answer = await service.fetch('/accounts/' + id)\n  if (!answer.ok) {\n"
         "    throw new Error('no account ' + id)\n  }\n  const account = await answer.json()\n"
         "  cache.set(id, { account, time: Date.now() })\n  return account\n}\n")],
    "javascript/handle-null": [("  return account.first", "  if (!account) {\n    return ''\n  }\n  return account.first")],
    "javascript/add-test": [
        ("})\n\ntest('an item", "})\n\ntest('an empty cart costs nothing', () => {\n  assert.strictEqual(new Cart().total(), 0)\n})\n\ntest('an item")],
    "typescript/no-any": [("isFrozen(obj: any)", "isFrozen(obj: unknown)")],
    "typescript/rename-parameter": [
        ("export function has(thing: any, prop: PropertyKey): boolean {\n\treturn getArchtype(thing) === ArchType.Map\n\t\t? thing.has(prop)\n"
         "\t\t: Object.prototype.hasOwnProperty.call(thing, prop)",
         "export function has(target: any, prop: PropertyKey): boolean {\n\treturn getArchtype(target) === ArchType.Map\n\t\t? target.has(prop)\n"
         "\t\t: Object.prototype.hasOwnProperty.call(target, prop)")],
    "typescript/drop-else": [
        ("\t} else {\n\t\t// perform a sloppy copy\n\t\tconst proto = getPrototypeOf(base)\n\t\tif (proto !== null && isPlain) {\n"
         "\t\t\treturn {...base} // assumption: better inner class optimization than the assign below\n\t\t}\n"
         "\t\tconst obj = Object.create(proto)\n\t\treturn Object.assign(obj, base)\n\t}\n",
         "\t}\n\t// perform a sloppy copy\n\tconst proto = getPrototypeOf(base)\n\tif (proto !== null && isPlain) {\n"
         "\t\treturn {...base} // assumption: better inner class optimization than the assign below\n\t}\n"
         "\tconst obj = Object.create(proto)\n\treturn Object.assign(obj, base)\n")],
}

CPP = {
    "cpp/use-nullptr": [
        ("  if (p == NULL) return NULL;\n  if (p + len > limit) return NULL;", "  if (p == nullptr) return nullptr;\n  if (p + len > limit) return nullptr;")],
    "cpp/add-comment": [("static std::string MakeFileName(", "// The name of a file of the database: its number and suffix.\nstatic std::string MakeFileName(")],
    "cpp/handle-empty": [("  double threshold = num_", "  if (num_ == 0.0) return 0;\n  double threshold = num_")],
    "cpp/use-min-max": [
        ("#include <stdio.h>\n", "#include <stdio.h>\n#include <algorithm>\n"),
        ("  if (other.min_ < min_) min_ = other.min_;\n  if (other.max_ > max_) max_ = other.max_;\n",
         "  min_ = std::min(min_, other.min_);\n  max_ = std::max(max_, other.max_);\n")],
    "cpp/rename-variable": [
        ("  static const int B = 128;\n  unsigned char* ptr = reinterpret_cast<unsigned char*>(dst);\n  while (v >= B) {\n    *(ptr++) = (v & (B-1)) | B;\n"
         "    v >>= 7;\n  }\n  *(ptr++) = static_cast<unsigned char>(v);\n  return reinterpret_cast<char*>(ptr);\n",
         "  static const int B = 128;\n  unsigned char* out = reinterpret_cast<unsigned char*>(dst);\n  while (v >= B) {\n    *(out++) = (v & (B-1)) | B;\n"
         "    v >>= 7;\n  }\n  *(out++) = static_cast<unsigned char>(v);\n  return reinterpret_cast<char*>(out);\n")],
    "cpp/add-parameter": [
        ("const char* suffix) {\n", "const char* suffix, int width = 6) {\n"),
        ('"/%06llu.%s",\n           static_cast', '"/%0*llu.%s", width,\n           static_cast')],
    "cpp/extract-helper": [
        ("std::string Histogram::ToString() const {",
         "static std::string HashMarks(double share) {\n  return std::string(static_cast<int>(20*share + 0.5), '#');\n}\n\nstd::string Histogram::ToString() const {"),
        ("    int marks = static_cast<int>(20*(buckets_[b] / num_) + 0.5);\n    r.append(marks, '#');\n", "    r.append(HashMarks(buckets_[b] / num_));\n")],
    "cpp/fix-includes": [("#include <math.h>\n#include <stdio.h>\n", "#include <cmath>\n#include <cstdio>\n")],
    "cpp/make-const": [("size() { return", "size() const { return")],
    "cpp/use-unique-ptr": [
        ("  Square* square = new Square(side);\n", "  auto square = std::make_unique<Square>(side);\n"), ("  delete square;\n", "")],
    "cpp/mark-override": [('name() const { return "square"; }', 'name() const override { return "square"; }')],
    "cpp/range-for": [
        ("    for (std::size_t i = 0; i < shapes_.size(); ++i) {\n      sum += shapes_[i]->area();\n",
         "    for (const auto& shape : shapes_) {\n      sum += shape->area();\n")],
}

GO = {
    "go/add-comment": [("func filenamesOrDefault(", "// filenamesOrDefault returns the names, or that of the default file.\nfunc filenamesOrDefault(")],
    "go/wrap-errors": [
        ("	content, err := Marshal(envMap)\n	if err != nil {\n		return err\n", "	content, err := Marshal(envMap)\n	if err != nil {\n		return fmt.Errorf(\"marshal: %w\", err)\n"),
        ("	file, err := os.Create(filename)\n	if err != nil {\n		return err\n", "	file, err := os.Create(filename)\n	if err != nil {\n		return fmt.Errorf(\"create %s: %w\", filename, err)\n"),
        ('	_, err = file.WriteString(content + "\\n")\n	if err != nil {\n		return err\n', '	_, err = file.WriteString(content + "\\n")\n	if err != nil {\n		return fmt.Errorf("write: %w", err)\n')],
    "go/replace-all": [("strings.Replace(line, string(c), toReplace, -1)", "strings.ReplaceAll(line, string(c), toReplace)")],
    "go/add-parameter": [("func Time(then time.Time) string {\n	return RelTime(then, time.Now(),", "func Time(then, now time.Time) string {\n	return RelTime(then, now,")],
    "go/named-results": [
        ("func readFile(filename string) (envMap map[string]string, err error) {\n	file, err := os.Open(filename)\n	if err != nil {\n		return\n",
         "func readFile(filename string) (map[string]string, error) {\n	file, err := os.Open(filename)\n	if err != nil {\n		return nil, err\n")],
    "go/extract-helper": [
        ("		parts[j] = strconv.FormatInt(v%1000, 10)\n		switch len(parts[j]) {\n		case 2:\n			parts[j] = \"0\" + parts[j]\n		case 1:\n			parts[j] = \"00\" + parts[j]\n		}\n",
         "		parts[j] = padded(strconv.FormatInt(v%1000, 10))\n"),
        ("// Commaf produces", "func padded(part string) string {\n	switch len(part) {\n	case 2:\n		return \"0\" + part\n	case 1:\n		return \"00\" + part\n	}\n	return part\n}\n\n// Commaf produces")],
    "go/add-constants": [("	Year     = 12 * Month\n", "	Year     = 12 * Month\n	Decade   = 10 * Year\n	Century  = 10 * Decade\n")],
    "go/rename-variable": [
        ("		individualEnvMap, individualErr := readFile(filename)", "		values, individualErr := readFile(filename)"), ("range individualEnvMap {", "range values {")],
    "go/use-log": [('	"fmt"\n	"sync"', '	"log"\n	"sync"'), ('fmt.Println("running"', 'log.Println("running"'), ('fmt.Println("failed"', 'log.Println("failed"')],
    "go/handle-empty": [("	var sum time.Duration\n", "	if len(durations) == 0 {\n		return 0\n	}\n	var sum time.Duration\n")],
    "go/add-context": [
        ('import (\n', 'import (\n	"context"\n'), ("func Retry(job Job,", "func Retry(ctx context.Context, job Job,"),
        ("		time.Sleep(pause)\n", "		select {\n		case <-ctx.Done():\n			return ctx.Err()\n		case <-time.After(pause):\n		}\n")],
    "go/use-defer": [
        ("	c.mu.Lock()\n	if", "	c.mu.Lock()\n	defer c.mu.Unlock()\n	if"), ("		c.mu.Unlock()\n		return limit", "		return limit"),
        ("	n := c.counts[name]\n	c.mu.Unlock()\n	return n\n", "	return c.counts[name]\n")],
}

RUST = {
    "rust/add-doc-comment": [("fn item_plural(", "/// Writes a value and its unit, with an `s` unless it is one.\nfn item_plural(")],
    "rust/inline-format": [
        ('"invalid character at {}", offset)', '"invalid character at {offset}")'), ('"expected number at {}", offset)', '"expected number at {offset}")'),
        ('"time unit needed, for example {0}sec or {0}ms",\n                    value,\n', '"time unit needed, for example {value}sec or {value}ms",\n'),
        ('"unknown time unit {:?}, \\', '"unknown time unit {unit:?}, \\'), ('(and few variations)",\n                    unit\n', '(and few variations)"\n')],
    "rust/saturating-sub": [
        ("let min_bound = if i > search_range {\n            i - search_range\n        } else {\n            0\n        };\n", "let min_bound = i.saturating_sub(search_range);\n")],
    "rust/derive": [("#[derive(Debug, Clone)]\npub struct Formatted", "#[derive(Debug, Clone, PartialEq, Eq)]\npub struct Formatted")],
    "rust/return-early": [
        ("fn item(f: &mut fmt::Formatter, started: &mut bool, name: &str, value: u32)\n    -> fmt::Result\n{\n    if value > 0 {\n        if *started {\n"
         "            f.write_str(\" \")?;\n        }\n        write!(f, \"{}{}\", value, name)?;\n        *started = true;\n    }\n    Ok(())\n",
         "fn item(f: &mut fmt::Formatter, started: &mut bool, name: &str, value: u32)\n    -> fmt::Result\n{\n    if value == 0 {\n        return Ok(());\n    }\n"
         "    if *started {\n        f.write_str(\" \")?;\n    }\n    write!(f, \"{}{}\", value, name)?;\n    *started = true;\n    Ok(())\n")],
    "rust/rename-variable": [
        ("for idx in (0..", "for i in (0.."), ("if simplified[idx] ==", "if simplified[i] =="), ("simplified[idx + 1..]", "simplified[i + 1..]")],
    "rust/no-ref-binding": [("let ref mut started = false;", "let started = &mut false;")],
    "rust/group-imports": [
        ("use std::error::Error as StdError;\nuse std::fmt;\nuse std::str::Chars;\nuse std::time::Duration;\n",
         "use std::{error::Error as StdError, fmt, str::Chars, time::Duration};\n")],
    "rust/return-result": [("-> u16 {", "-> Result<u16, ParseIntError> {"), ("text.trim().parse().unwrap()", "text.trim().parse()")],
    "rust/question-mark": [
        ("        let number = match part.trim().parse::<i64>() {\n            Ok(number) => number,\n            Err(error) => return Err(error),\n        };\n        sum += number;\n",
         "        sum += part.trim().parse::<i64>()?;\n")],
    "rust/use-iterator": [
        ("        let mut keys = Vec::new();\n        for key in self.values.keys() {\n            keys.push(key.clone());\n        }\n",
         "        let mut keys: Vec<String> = self.values.keys().cloned().collect();\n")],
    "rust/add-test": [
        ("    }\n\n}\n", "    }\n\n    #[test]\n    fn a_line_without_a_key_is_nothing() {\n        assert!(parse_line(\" = 80\").is_none());\n    }\n}\n")],
}

ANSWERS = {**PYTHON, **JAVASCRIPT, **CPP, **GO, **RUST}


def _replaced(answer, *pairs):
    """The same answer, spelled otherwise."""
    for old, new in pairs:
        assert any(old in text for _, text in answer), old
        answer = [(before, after.replace(old, new)) for before, after in answer]
    return answer


# Other right answers, which a check might refuse for their spelling alone.
ALSO_RIGHT = {
    "python/add-type-hints": _replaced(PYTHON["python/add-type-hints"], ("number: int", 'number: "Union[int, float]"')),
    "python/extract-helper": [
        ("        start_time = int(round(time.time() * 1000))",
         "        def now():\n            return round(time.time()*1000)\n\n        start_time = now()"),
        ("= int(round(time.time() * 1000)) - start_time", "= now() - start_time")],
    "python/fix-imports": [
        ("from typing import IO, Dict, Iterable, Iterator, Mapping, Optional, Tuple, Union",
         "from typing import (\n    IO,\n    Dict,\n    Optional,\n    Tuple,\n    Union,\n)\nfrom collections.abc import (\n    Iterable, Iterator, Mapping,\n)")],
    "python/use-pathlib": _replaced(PYTHON["python/use-pathlib"][1:], ("    for path in", "    from pathlib import Path\n    for path in")),
    "python/make-async": [
        ("import csv\n", "from asyncio import sleep\nimport csv\n"), ("def poll(", "async def poll("),
        ("        if is_ready():", "        if await is_ready():"), ("        time.sleep(pause)", "        await sleep(pause)")],
    "python/handle-empty": [("    return sum(values) / len(values)", "    return sum(values) / max(len(values), 1)")],
    "javascript/add-parameter": _replaced(JAVASCRIPT["javascript/add-parameter"], ("minSimilarity = 0.4", "minSimilarity=0.4")),
    "javascript/extract-helper": [
        ("  // Parse DOTENV_KEY.", "  const error_ = (code, message) => Object.assign(new Error(message), { code })\n  // Parse DOTENV_KEY."),
        *_replaced(JAVASCRIPT["javascript/extract-helper"][1:], ("_error(", "error_("))],
    "javascript/handle-null": [("  return account.first", "  if (account === null) return ''\n  return account.first")],
    "cpp/handle-empty": [("  double threshold = num_", "  if (0 == num_) {\n    return 0;\n  }\n  double threshold = num_")],
    "cpp/add-parameter": _replaced(CPP["cpp/add-parameter"], ("width = 6", "width=6")),
    "cpp/extract-helper": [
        ("std::string Histogram::ToString() const {",
         "static inline int HashMarks(double share) { return static_cast<int>(20*share + 0.5); }\n\nstd::string Histogram::ToString() const {"),
        ("    // Add hash marks based on percentage; 20 marks for 100%.\n", ""),
        ("    int marks = static_cast<int>(20*(buckets_[b] / num_) + 0.5);\n    r.append(marks, '#');\n",
         "    r.append(HashMarks(buckets_[b] / num_), '#');\n")],
    "go/wrap-errors": _replaced(GO["go/wrap-errors"], ("create %s: %w\", filename,", "open file: %w\",")),
    "go/extract-helper": [
        GO["go/extract-helper"][0],
        ("// Commaf produces", "func padded(part string) string {\n	for len(part) < 3 {\n		part = \"0\" + part\n	}\n	return part\n}\n\n// Commaf produces")],
    "rust/saturating-sub": [("        // prevent integer wrapping\n", ""), *RUST["rust/saturating-sub"]],
    "rust/add-test": [
        ("    }\n\n}\n", "    }\n\n    #[test]\n    fn no_key() {\n        let line = \"nothing\";\n        assert_eq!(parse_line(line), None);\n    }\n}\n")],
}

# Wrong ones, each wrong in one thing that a check might overlook, or only the test finds.
WRONG = {
    "python/extract-helper": PYTHON["python/extract-helper"][1:],
    "python/add-parameter": [
        ("def get(self, key: str) -> Optional[str]:", "def get(self, key: str, default: Optional[str] = None) -> Optional[str]:"),
        ("        data = self.dict()\n\n        if key in data:\n            return data[key]\n\n        if self.verbose:\n"
         "            logger.warning(\"Key %s not found in %s.\", key, self.dotenv_path)\n\n        return None\n",
         "        data = self.dict()\n        value = data.get(key, default)\n        if value is None:\n            return default\n        return value\n")],
    "python/make-async": [*PYTHON["python/make-async"], ('    """Waits until `is_ready()` is true; whether it was within that many tries."""\n', "")],
    "javascript/add-test": [
        ("})\n\ntest('an item", "})\n\ntest('an empty cart', () => {\n  assert.strictEqual(new Cart().total(), 0)\n})\n\n"
         "test('the total of one item', () => {\n  assert.strictEqual(new Cart().add('tea', 4).total(), 4)\n})\n\ntest('an item")],
    "typescript/drop-else": _replaced(JAVASCRIPT["typescript/drop-else"], ("\t// perform a sloppy copy\n", "")),
    "cpp/rename-variable": _replaced(CPP["cpp/rename-variable"], ("v >>= 7", "v >>= 8")),
    "cpp/add-parameter": _replaced(CPP["cpp/add-parameter"], ("%0*llu.%s\", width,", "%06llu.%s\" + 0 * width,")),
    "go/wrap-errors": GO["go/wrap-errors"][1:],
    "go/extract-helper": [
        (GO["go/extract-helper"][0][0], "		parts[j] = strconv.FormatInt(1000+v%1000, 10)[1:]\n")],
    "go/use-log": _replaced(GO["go/use-log"], ('log.Println("failed"', 'log.Fatalln("failed"')),
    "rust/add-test": [
        ("    }\n\n}\n", "    }\n\n    #[test]\n    fn without_a_key() {\n        assert!(parse_line(\"a = 80\").is_some());\n    }\n}\n")],
}


def right(task, text, answer=None):
    for old, new in answer or ANSWERS[task.id]:
        assert text.count(old) == 1, f"{task.id}: {old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    return text
