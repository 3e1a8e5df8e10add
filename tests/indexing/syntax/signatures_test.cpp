// What functions take and what calls give, in each language.
#include "indexing/syntax/signatures.h"

#include <gtest/gtest.h>

#include "tests/indexing/syntax/marked_text.h"
#include "tests/indexing/syntax/samples.h"

namespace redraft {
namespace {

std::string described(const Parameter& parameter) {
  const char* const marks[] = {"", "/", "=", "*", "**"};
  return marks[static_cast<int>(parameter.kind)] + parameter.name +
         (parameter.is_optional ? "?" : "");
}

// "K.f(a, b?, *c)", a constructor "K.K(a)=K"; a method of an object has a "." before its brackets.
std::string signatures_of(const std::string& language, const std::string& text) {
  std::string all;
  for (const Signature& signature : parse(text, language).signatures()) {
    all += (all.empty() ? "" : " ") + signature.path;
    if (!signature.path.ends_with(signature.name)) all += "=" + signature.name;
    all += signature.receiver == Signature::Receiver::kNone ? "(" : ".(";
    for (const Parameter& parameter : signature.all)
      all += (all.back() == '(' ? "" : ",") + described(parameter);
    all += ")";
  }
  return all;
}

TEST(Signatures, InEachLanguage) {
  EXPECT_EQ(signatures_of("python",
                          "class K:\n"
                          "    def __init__(self, a: int): pass\n"
                          "    @staticmethod\n"
                          "    def f(a, b=1, *c: int, d, e: int = 2, **g): pass\n"
                          "def h(a, /, b, *, c): return lambda x: x\n"),
            "K.__init__=K(a) K.f(a,b?,*c,=d,=e?,**g) h(/a,b,=c)");
  EXPECT_EQ(signatures_of("javascript",
                          "class K { constructor(a, b = 1) {} f({x, y}, [z], ...c) {} }\n"
                          "const g = a => a, h = async (b) => b; x = { f(a) {} };\n"),
            "K.constructor=K(a,b?) K.f({x,y},[z],*c) g(a) h(b)");
  EXPECT_EQ(signatures_of("typescript",
                          "function f<T>(this: T, a: number, b?: string, c = 1, ...d: T[]) {}\n"),
            "f.(a,b?,c?,*d)");
  EXPECT_EQ(
      signatures_of("c",
                    "int g(void) { return 0; }\n"
                    "int *f(int a[], char **b, int (*c)(int x), struct s, ...) { return 0; }\n"),
      "g() f(a,b,c,,*)");
  EXPECT_EQ(signatures_of("cpp",
                          "namespace n { int K::f(const int& a, int b = 2) const { return 0; } }\n"
                          "struct K { K(int a) {} ~K() {} int operator()(int a) { return a; } };\n"
                          "template <class... T> void g(T&&... x) {}\n"),
            "n.K.f(a,b?) g(*x)");
  EXPECT_EQ(signatures_of("java", "class K { K(int a) {} void f(final int a, String... b) {} }\n"),
            "K.K(a) K.f(a,*b)");
  EXPECT_EQ(signatures_of("csharp",
                          "class K { K(int a) {} static void F(this int a, ref int b, int c = 2, "
                          "params int[] d) {} }\n"),
            "K.K(a) K.F.(b,c?,*d)");
  EXPECT_EQ(
      signatures_of("go", "package p\nfunc f(a, b int, c ...string) {}\nfunc (k *K) g(int) {}\n"),
      "f(a,b,*c) K.g()");
  EXPECT_EQ(
      signatures_of("rust", "impl<T> K<T> { fn f(&mut self, mut a: i32, (b, c): P, _: u8) {} }\n"),
      "K.f.(a,(b,c),)");
  EXPECT_EQ(signatures_of("kotlin",
                          "class K(val q: Int) {\n"
                          "  fun <T> f(a: Int, b: List<T> = g(1), vararg c: Int, d: Int) = 1\n}\n"
                          "fun String.h(a: Int = 1, then: (Int) -> Unit) {}\n"),
            "K.f(a,b?,*c,=d) h(a?,then)");
  EXPECT_EQ(
      signatures_of("swift",
                    "class K {\n  init(a: Int, _ b: Int = 2) {}\n"
                    "  func f<T>(_ a: T, to count: Int = g(1), rest: inout [Int], all: Int...,"
                    " @Auto x: () -> Bool) -> Int { 1 }\n}\nfunc h(_ a: Int...) {}\n"),
      "K.init=K(=a,/b?) K.f(/a,=to?,=rest,*all,=x) h(*)");
  EXPECT_EQ(signatures_of("zig",
                          "const K = struct {\n"
                          "    fn f(self: *K, a: u8, comptime T: type) void {}\n"
                          "    fn g(a: *const K, b: []K) void {}\n"
                          "    fn h(all: []const K) void {}\n};\n"
                          "extern fn p(a: [*:0]const u8, ...) c_int;\n"),
            "K.f.(a,T) K.g.(b) K.h(all) p(a,)");
}

TEST(Signatures, OfWhatMakesNoSenseThereAreNone) {
  EXPECT_EQ(signatures_of("python", "def f(a, :\n    pass\n"), "");
  EXPECT_EQ(signatures_of("lua", "function f(a) end\n"), "") << "the language is not known";
}

TEST(Signatures, OfWhatIsNestedBeyondReasonThereAreNone) {
  std::string text;
  for (std::size_t i = 0; i < 200; ++i)
    text += std::string(i, ' ') + "def a_function_with_a_long_name(b):\n";
  std::size_t n_bytes = 0;
  for (const Signature& signature :
       parse(text + std::string(200, ' ') + "pass\n", "python").signatures())
    n_bytes += signature.path.size();
  EXPECT_LT(n_bytes, std::size_t{1} << 18) << "paths grow with the square of it";
}

TEST(Signatures, OfPythonMayBeWrapped) {
  const auto is_wrapped = [](const std::string& decorators) {
    return parse(decorators + "def f(a): pass\n", "python").signatures().at(0).is_wrapped;
  };
  EXPECT_FALSE(is_wrapped(""));
  EXPECT_FALSE(is_wrapped("@staticmethod\n"));
  EXPECT_FALSE(is_wrapped("@functools.lru_cache\n@abc.abstractmethod\n"));
  EXPECT_TRUE(is_wrapped("@retry\n"));
  EXPECT_TRUE(is_wrapped("@staticmethod\n@app.command(\"x\")\n"));
}

TEST(Signatures, HaveTypes) {
  const auto types = [](const std::string& language, const std::string& text) {
    std::string all;
    for (const Signature& signature : parse(text, language).signatures()) {
      for (const Parameter& parameter : signature.all) all += parameter.type + ";";
    }
    return all;
  };
  EXPECT_EQ(types("python", "def f(a, b: int, c: str = 'x'): pass\n"), ";int;str;");
  EXPECT_EQ(types("typescript", "function f(a, b: number, c?: Map<a, b>) {}\n"),
            ";:number;:Map<a,b>;");
  EXPECT_EQ(types("cpp", "int f(const std::string& a, int b = 1) { return 0; }\n"),
            "std::string;int;");
  EXPECT_EQ(types("java", "class K { void f(final int a, List<String> b) {} }\n"),
            "int;List<String>;");
  EXPECT_EQ(types("csharp", "class K { void F(int a, string b) {} }\n"), "int;string;");
  EXPECT_EQ(types("go", "package p\nfunc f(a, b int, c string) {}\n"), "int;int;string;");
  EXPECT_EQ(types("rust", "fn f(a: i32, b: &str) {}\n"), "i32;&str;");
}

TEST(Signatures, OfSamplesHaveNamesThatAreDeclared) {
  for (const Sample& sample : samples()) {
    const SyntaxTree tree = parse(MarkedText(sample.marked).text, sample.language);
    for (const Signature& signature : tree.signatures()) {
      EXPECT_EQ(at(tree, signature.declared), signature.name) << sample.language;
      EXPECT_EQ(at(tree, signature.parameters).back(), ')') << sample.language;
    }
  }
}

// "f(1; x=2; *y; g()!)", the last of which does something.
std::string calls_of(const std::string& language, const std::string& text) {
  const SyntaxTree tree = parse(text, language);
  std::string all;
  for (const Call& call : tree.calls_of("f")) {
    all += (all.empty() ? "" : " ") + call.receiver + (call.receiver.empty() ? "" : ".") + "f(";
    for (const Argument& argument : call.all) {
      all += (all.back() == '(' ? "" : ";") + std::string(argument.is_spread ? "*" : "") +
             argument.name + (argument.name.empty() ? "" : "=") + at(tree, argument.value) +
             (argument.has_effects ? "!" : "");
    }
    all += call.is_odd ? "?)" : ")";
  }
  return all;
}

TEST(Calls, InEachLanguage) {
  EXPECT_EQ(calls_of("python",
                     "f(1, x = a[2], **k)\nself.a.f(g(), lambda: g())\nf(x for x in y)\nf; f = 1\n"
                     "f(1, # one\n  2)\n'f(1)' # f(1)\n"),
            "f(1;x=a[2];***k) self.a.f(g()!;lambda: g()) f(1;2?)");
  EXPECT_EQ(calls_of("javascript", "f?.(1, ...x); new f(i++); a.b?.f(() => g()); f`x`;"),
            "f(1;*...x) f(i++!) a.b.f(() => g())");
  EXPECT_EQ(calls_of("kotlin",
                     "fun g() {\n  f(1, b = g(), c = *xs)\n  k?.f<Int>(x++, *xs) { it }\n"
                     "  f { 4 }\n  run { f(a to b) }\n}\n"),
            "f(1;b=g()!;*c=*xs) k.f(x++!;**xs;{ it }?) f({ 4 }?) f(a to b!)");
  EXPECT_EQ(calls_of("swift",
                     "func g() {\n  f(1, to: g(), rest: &q)\n  k?.f(1) { $0 } then: { 2 }\n"
                     "  try await a.b.f()\n  f { 4 }\n}\n"),
            "f(1;to=g()!;rest=&q) k.f(1;{ $0 };*{ 2 }?) a.b.f() f({ 4 }?)");
  EXPECT_EQ(calls_of("zig", "fn g() !void {\n    f(1, &x);\n    try k.f(g(), @min(x, 1));\n}\n"),
            "f(1;&x) k.f(g()!;@min(x, 1)!)");
  EXPECT_EQ(calls_of("typescript", "f<number>(1, await x);"), "f(1;await x!)");
  EXPECT_EQ(calls_of("c", "int a = f(1, x = 2) + f(*q++) + p->f(1);"), "f(1;x = 2!) f(*q++!)");
  EXPECT_EQ(calls_of("cpp", "int a = n::f<int>(1) + this->f({1}) + f(x...);"),
            "n.f(1) this.f({1}) f(*x...)");
  EXPECT_EQ(calls_of("java", "class A { void g() { f(1); a.f(new B()); new f(2); } }"),
            "f(1) a.f(new B()!) f(2)");
  EXPECT_EQ(calls_of("csharp", "class A { void G() { F(); f(b: 2, ref x); a.f<int>(1); } }"),
            "f(b=2;ref x) a.f(1)");
  EXPECT_EQ(calls_of("go", "package p\nfunc g() { s.f(1, x...); f(<-c) }\n"),
            "s.f(1;*x...) f(<-c!)");
  EXPECT_EQ(calls_of("rust", "fn g() { k.f(1); K::f::<u8>(&k, vec![1]); f(|| g()); f!(1); }"),
            "k.f(1) K.f(&k;vec![1]!) f(|| g())");
}

}  // namespace
}  // namespace redraft
