from ..checks import body, count, documented, file, nodes, renamed, signature, text
from ..judge import RUST, Task
from ..programs import OWN_TESTS

DURATION = "cargo/humantime/src/duration.rs"
STRSIM = "cargo/strsim/src/lib.rs"
WILDMATCH = "cargo/wildmatch/src/lib.rs"
CONFIG = "own/rust/config.rs"
DURATIONS = ('use std::time::Duration;\nuse edited::{format_duration, parse_duration};\n\nfn main() {\n'
             '    assert_eq!(parse_duration("2h 37min"), Ok(Duration::new(9420, 0)));\n'
             '    assert!(parse_duration("").is_err());\n'
             '    assert_eq!(format_duration(Duration::new(9420, 5_000_000)).to_string(), "2h 37m 5ms");\n'
             '    assert_eq!(format_duration(Duration::new(2 * 31_557_600 + 86400, 0)).to_string(), "2years 1day");\n')

TASKS = [
    Task(
        id="rust/add-doc-comment", language=RUST, file=DURATION, instruction="add a doc comment",
        at="fn item_plural(f: &mut", within=("item_plural",),
        checks=[documented("item_plural", has=r"^\s*(///|/\*\*|#\[doc)")], test=DURATIONS + "}\n"),
    Task(
        id="rust/inline-format", language=RUST, file=DURATION, instruction="inline the format arguments",
        at="fn fmt(&self, f: &mut fmt::Formatter<'_>)", within=("Error.fmt",),
        checks=[body("Error.fmt", has=[r"invalid character at \{offset\}", r"expected number at \{offset\}", r"\{unit:\?\}", r"\{value\}sec or \{value\}ms"],
                     lacks=r"\{\}|\{0\}|\{:\?\}")],
        test=DURATIONS + '    assert_eq!(parse_duration("1 @").unwrap_err().to_string(), "invalid character at 2");\n'
                         '    assert!(parse_duration("3 parsecs").unwrap_err().to_string().contains("\\"parsecs\\""));\n'
                         '    assert_eq!(parse_duration("7").unwrap_err().to_string(), "time unit needed, for example 7sec or 7ms");\n}\n'),
    Task(
        id="rust/saturating-sub", language=RUST, file=STRSIM, instruction="use saturating_sub",
        at="let min_bound = if i > search_range {", within=("generic_jaro",),
        checks=[body("generic_jaro", has=r"let min_bound = i\.saturating_sub\(search_range\);", lacks=r"i - search_range")], uncomments=True,
        test='fn main() {\n    assert!((edited::jaro("Friedrich Nietzsche", "Jean-Paul Sartre") - 0.392).abs() < 0.001);\n'
             '    assert_eq!(edited::jaro("", ""), 1.0);\n}\n'),
    Task(
        id="rust/derive", language=RUST, file=DURATION, instruction="derive PartialEq and Eq too",
        at="pub struct FormattedDuration(Duration);", within=("FormattedDuration",),
        checks=[text(has=r"#\[derive\((?=[^\]]*\bPartialEq\b)(?=[^\]]*\bEq\b)[^\]]*\)\]\s*pub struct FormattedDuration\(Duration\);")],
        test=DURATIONS + "    let one = Duration::new(1, 0);\n    assert!(format_duration(one) == format_duration(one).clone());\n"
                         '    assert_eq!(format!("{:?}", format_duration(one)), "FormattedDuration(1s)");\n}\n'),
    Task(
        id="rust/return-early", language=RUST, file=DURATION, instruction="return early if the value is 0",
        at='name: &str, value: u32)', within=("item",),
        checks=[body("item", has=r"if value == 0 \{\s*return Ok\(\(\)\);?\s*\}", lacks=r"if value > 0")], test=DURATIONS + "}\n"),
    Task(
        id="rust/rename-variable", language=RUST, file=WILDMATCH, instruction="rename idx to i",
        at="for idx in (0..simplified.len()).rev() {", within=("WildMatchPattern.new",),
        checks=[renamed("WildMatchPattern.new", "idx", "i")],
        test='fn main() {\n    assert!(edited::WildMatch::new("c**t*").matches("cat"));\n'
             '    assert!(!edited::WildMatch::new("*d").matches("cat"));\n}\n'),
    Task(
        id="rust/no-ref-binding", language=RUST, file=DURATION, instruction="use &mut instead of ref mut",
        at="let ref mut started = false;", within=("FormattedDuration.fmt",),
        checks=[body("FormattedDuration.fmt", has=[r"&mut (started|false)\b", r"item_plural\(f, (&mut )?started, \"year\", years\)\?;"],
                     lacks=r"\bref mut\b")],
        test=DURATIONS + "}\n"),
    Task(
        id="rust/group-imports", language=RUST, file=DURATION, instruction="group the imports into one use",
        at="use std::fmt;",
        checks=[count(r"^use ", 1, 1), file(has=[r"^use std::\{", r"error::(Error as StdError|\{\s*Error as StdError,?\s*\})", r"\bfmt\b", r"str::(\{\s*)?Chars",
                                                r"time::(\{\s*)?Duration"])],
        test=DURATIONS + "}\n"),
    Task(
        id="rust/return-result", language=RUST, file=CONFIG, instruction="return a Result instead of unwrapping",
        at="text.trim().parse().unwrap()", within=("parse_port",),
        checks=[signature("parse_port", has=r"pub fn parse_port\(text: &str\) -> (std::result::)?Result<u16, .+> ?$"), body("parse_port", lacks=r"unwrap|expect")],
        test="fn main() {\n    assert_eq!(edited::parse_port(\" 80 \").ok(), Some(80));\n    assert!(edited::parse_port(\"x\").is_err());\n}\n"),
    Task(
        id="rust/question-mark", language=RUST, file=CONFIG, instruction="use the ? operator",
        at="Err(error) => return Err(error),", within=("parse_sum",),
        checks=[nodes("parse_sum", "try_expression", 1), nodes("parse_sum", "match_expression", 0, 0)],
        test="fn main() {\n    assert_eq!(edited::parse_sum(\"1, 2,3\"), Ok(6));\n    assert!(edited::parse_sum(\"1,x\").is_err());\n}\n"),
    Task(
        id="rust/use-iterator", language=RUST, file=CONFIG, instruction="replace the loop by collect",
        at="        let mut keys = Vec::new();", to="        keys.sort();", within=("Config.keys",),
        checks=[nodes("Config.keys", "for_expression", 0, 0), body("Config.keys", has=[r"collect\b", r"\bsort"], lacks=r"\.push\("),
                signature("Config.keys", has=r"pub fn keys\(&self\) -> Vec<String>")],
        test="fn main() {\n    assert_eq!(edited::Config::parse(\"b=1\\na=2\").keys(), [\"a\", \"b\"]);\n}\n"),
    Task(
        id="rust/add-test", language=RUST, file=CONFIG, instruction="add a test for a line without a key",
        at="    }\n¦\n}\n", within=("tests",), inserts=True,
        checks=[count(r"^    #\[test\]", 2), count(r"^    fn \w+\(\)", 2), count(r"\b(parse_line|Config::parse)\(", 4),
                file(has=r'"\s*=|\\n\s*=|(\b(parse_line|Config::parse)\(\s*|let \w+ = )"[^="]*"')], test=OWN_TESTS),
]
