from ..checks import body, count, documented, file, nodes, renamed, signature
from ..judge import GO, Task

GODOTENV = "go/github.com/joho/godotenv/godotenv.go"
TIMES = "go/github.com/dustin/go-humanize/times.go"
COMMA = "go/github.com/dustin/go-humanize/comma.go"
JOBS = "own/go/jobs.go"


def test(imports, code):
    names = "".join(f'\t"{name}"\n' for name in imports.split())
    return f"import (\n{names}\t\"testing\"\n)\n\nfunc TestEdited(t *testing.T) {{\n{code}}}\n"


TASKS = [
    Task(
        id="go/add-comment", language=GO, file=GODOTENV, instruction="add a doc comment",
        at="if len(filenames) == 0 {", within=("filenamesOrDefault",),
        checks=[documented("filenamesOrDefault", has=r"// filenamesOrDefault\b")],
        test=test("", '\tif got := filenamesOrDefault(nil); len(got) != 1 || got[0] != ".env" {\n\t\tt.Fatal(got)\n\t}\n')),
    Task(
        id="go/wrap-errors", language=GO, file=GODOTENV, instruction="wrap the errors with fmt.Errorf",
        at="content, err := Marshal(envMap)", within=("Write",),
        checks=[body("Write", has=r"(fmt\.Errorf\([^\n]*%w[\s\S]*){3}", lacks=r"return err$"), nodes("Write", "return_statement", 4)],
        test=test("errors os strings", '\terr := Write(map[string]string{"A": "1"}, "/nowhere/at/all")\n'
                  '\tif !errors.Is(err, os.ErrNotExist) || strings.HasPrefix(err.Error(), "open /") {\n\t\tt.Fatal(err)\n\t}\n')),
    Task(
        id="go/replace-all", language=GO, file=GODOTENV, instruction="use strings.ReplaceAll",
        at="line = strings.Replace(line,", within=("doubleQuoteEscape",),
        checks=[body("doubleQuoteEscape", has=r"strings\.ReplaceAll\(line, string\(c\), toReplace\)", lacks=r"strings\.Replace\(")],
        test=test("", '\tif got := doubleQuoteEscape("a\\n$"); got != `a\\n\\$` {\n\t\tt.Fatal(got)\n\t}\n')),
    Task(
        id="go/add-parameter", language=GO, file=TIMES, instruction="add a parameter now instead of calling time.Now",
        at="func Time(then time.Time) string {", within=("Time",),
        checks=[signature("Time", has=r"func Time\(then(,| time\.Time,) now time\.Time\) string"), body("Time", lacks=r"time\.Now")],
        test=test("time", '\tnow := time.Unix(1000000, 0)\n'
                  '\tif got := Time(now.Add(-3*time.Hour), now); got != "3 hours ago" {\n\t\tt.Fatal(got)\n\t}\n')),
    Task(
        id="go/named-results", language=GO, file=GODOTENV, instruction="don't use named results",
        at="file, err := os.Open(filename)", within=("readFile",),
        checks=[signature("readFile", has=r"func readFile\(filename string\) \(map\[string\]string, error\)"),
                body("readFile", has=r"return nil, err", lacks=r"return$")],
        test=test("os", '\tif got, err := readFile("/nowhere/at/all"); got != nil || !os.IsNotExist(err) {\n\t\tt.Fatal(got, err)\n\t}\n')),
    Task(
        id="go/extract-helper", language=GO, file=COMMA, instruction="extract the padding with zeros into a helper",
        at="parts[j] = strconv.FormatInt(v%1000, 10)", within=("Comma",), adds=r"^\w+$",
        checks=[body("Comma", lacks=r'for v > 999 \{[^}]*"00?"'), count(r"\bfunc\b", 5)],
        test=test("", '\tfor n, wanted := range map[int64]string{1002003: "1,002,003", -45678: "-45,678", 7: "7"} {\n'
                  "\t\tif got := Comma(n); got != wanted {\n\t\t\tt.Fatal(got)\n\t\t}\n\t}\n")),
    Task(
        id="go/add-constants", language=GO, file=TIMES, instruction="add Decade and Century",
        at="Year     = 12 * Month", lines=r"^(Decade|Century) =",
        checks=[count(r"^\t(Day|Week|Month|Year|LongTime) += ", 5, 5), count(r"^\t(Decade|Century) += ", 2, 2)],
        test=test("", "\tif Decade != 10*Year || Century != 100*Year || LongTime != 37*Year {\n\t\tt.Fatal()\n\t}\n")),
    Task(
        id="go/rename-variable", language=GO, file=GODOTENV, instruction="rename individualEnvMap to values",
        at="for key, value := range individualEnvMap {", within=("Read",),
        checks=[renamed("Read", "individualEnvMap", "values")],
        test=test("", '\tif _, err := Read("/nowhere/at/all"); err == nil {\n\t\tt.Fatal()\n\t}\n')),
    Task(
        id="go/use-log", language=GO, file=JOBS, instruction="log instead of print",
        at='fmt.Println("running", job.Name)', within=("RunAll",),
        checks=[body("RunAll", has=[r"(log|slog)\.\w+\(", r"running", r"failed"], lacks=r"fmt\.Print"), file(has=r'"log(/slog)?"')],
        test=test("errors", '\tno, n := errors.New("no"), 0\n\tgood := Job{"a", func() error { n++; return nil }, 1}\n'
                  '\tif err := RunAll([]Job{good, {"b", func() error { return no }, 1}, good}); err != no || n != 1 {\n'
                  "\t\tt.Fatal(err, n)\n\t}\n")),
    Task(
        id="go/handle-empty", language=GO, file=JOBS, instruction="return 0 if there are none",
        at="return sum / time.Duration(len(durations))", within=("Mean",),
        checks=[signature("Mean", has=r"func Mean\(durations \[\]time\.Duration\) time\.Duration"), body("Mean", has=r"\bif\b")],
        test=test("time", "\tif Mean(nil) != 0 || Mean([]time.Duration{2, 4}) != 3 {\n\t\tt.Fatal()\n\t}\n")),
    Task(
        id="go/add-context", language=GO, file=JOBS, instruction="take a context.Context first and stop when it is done",
        at="for i := 0; i < job.Tries; i++ {", within=("Retry",),
        checks=[signature("Retry", has=r"func Retry\(\w+ context\.Context, job Job, pause time\.Duration\) error"),
                body("Retry", has=r"\.(Done|Err)\(\)"), file(has=r'"context"')],
        test=test("context errors time", '\tctx, cancel := context.WithCancel(context.Background())\n\tn := 0\n'
                  '\tjob := Job{"a", func() error { n++; cancel(); return errors.New("no") }, 5}\n'
                  "\tif err := Retry(ctx, job, time.Millisecond); err == nil || n != 1 {\n\t\tt.Fatal(err, n)\n\t}\n")),
    Task(
        id="go/use-defer", language=GO, file=JOBS, instruction="use defer to unlock",
        at="c.mu.Lock()\n\tif c.counts[name]", within=("Counter.Add",),
        checks=[nodes("Counter.Add", "defer_statement", 1, 1), body("Counter.Add", has=r"defer c\.mu\.Unlock\(\)"),
                count(r"c\.mu\.Unlock\(\)", 1, 1)],
        test=test("", "\tc := NewCounter()\n\tfor _, wanted := range []int{1, 2, 2} {\n"
                  '\t\tif got := c.Add("a", 2); got != wanted {\n\t\t\tt.Fatal(got)\n\t\t}\n\t}\n')),
]
