#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kType = DefinitionKind::kType;

constexpr DefinitionType kDefinitions[] = {{"function_definition"}, {"class_definition", kType}};

constexpr ScopeTypes kScopes{
    .functions = "function_definition lambda",
    .blocks = "list_comprehension set_comprehension dictionary_comprehension generator_expression",
    .types = "class_definition",
    .here = "for_in_clause.left",
    .around = "function_definition.name class_definition.name",
    .in_function =
        "assignment.left augmented_assignment.left for_statement.left as_pattern_target "
        "named_expression.name aliased_import.alias type_alias_statement.left",
    .parameters = "parameters lambda_parameters",
    .patterns =
        "pattern_list tuple_pattern list_pattern tuple list list_splat_pattern "
        "dictionary_splat_pattern default_parameter.name typed_default_parameter.name "
        "typed_parameter dotted_name",
    .parameter_lists = "parameters lambda_parameters",
    .members = "attribute.attribute",
    .keys = "import_from_statement.module_name aliased_import.name dotted_name+",
    .arguments = "keyword_argument.name",
    .imports = "import_statement.name import_from_statement.name",
    .outside =
        "function_definition.return_type class_definition.superclasses "
        "default_parameter.value typed_default_parameter.value typed_default_parameter.type "
        "typed_parameter.type",
    .first_outside = "for_in_clause.right",
    .unsure = "case_pattern exec_statement print_statement",
    .free = "global_statement nonlocal_statement",
    .own = "self cls super()",
    .predefined =
        "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr "
        "classmethod compile complex delattr dict dir divmod enumerate eval exec filter float "
        "format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass "
        "iter len list locals map max memoryview min next object oct open ord pow print property "
        "range repr reversed round set setattr slice sorted staticmethod str sum super tuple type "
        "vars zip __import__ BaseException Exception ArithmeticError AssertionError AttributeError "
        "EOFError ImportError IndexError IOError KeyError KeyboardInterrupt LookupError NameError "
        "NotImplemented NotImplementedError OSError OverflowError RuntimeError StopIteration "
        "SyntaxError SystemExit TimeoutError TypeError UnicodeError ValueError Warning "
        "ZeroDivisionError FileNotFoundError FileExistsError PermissionError ConnectionError",
    .constructor = "__init__",
    .field_bases =
        "NamedTuple TypedDict BaseModel BaseSettings GenericModel RootModel SQLModel Struct",
    .field_decorators = "dataclass attrs attributes attrib define frozen mutable attr",
    .keyed_bases = "TypedDict",
    .field_functions =
        "replace _replace evolve assoc copy model_copy model_construct construct cls",
    .name_finders =
        "getattr setattr hasattr delattr attrgetter methodcaller object globals locals vars "
        "__dict__ __getattribute__",
    .path_finders = "patch import_string import_module __import__ resolve locate setattr delattr",
    .export_lists = "__all__",
    .member_lists = "__slots__ __match_args__",
    .has_path_texts = true,
    .type_texts = "type",
    .value_generics = "Literal",
    .typed_values = "Annotated",
    .text_generics =
        "Optional Union List Dict Set FrozenSet Tuple Type Callable ClassVar Final Iterable "
        "Iterator Sequence Mapping MutableMapping Generator Awaitable Coroutine Deque DefaultDict "
        "Annotated list dict set frozenset tuple type",
    .text_functions = "cast TypeVar ForwardRef NewType assert_type",
    .has_assigned_members = true};

constexpr SignatureTypes kSignatures{.parameter_lists = "parameters",
                                     .argument_lists = "argument_list",
                                     .rest = "list_splat_pattern",
                                     .named_rest = "dictionary_splat_pattern",
                                     .by_place_before = "positional_separator",
                                     .by_name_behind = "keyword_separator list_splat_pattern",
                                     .constructors = "__init__",
                                     .calls = "call.function",
                                     .callee_parts = "attribute.attribute",
                                     .spreads = "list_splat dictionary_splat",
                                     .has_explicit_self = true,
                                     .style = {.name_mark = "="}};

// Names that mean the module wherever they stand before a dot. The rest of the file tells whether a
// name such as "copy" or "time" is a variable.
constexpr std::string_view kModules[] = {
    "abc",         "argparse",   "ast",       "asyncio",    "base64",      "bisect",
    "collections", "contextlib", "copy",      "csv",        "ctypes",      "dataclasses",
    "datetime",    "decimal",    "difflib",   "enum",       "errno",       "fnmatch",
    "functools",   "getpass",    "glob",      "gzip",       "hashlib",     "heapq",
    "hmac",        "inspect",    "io",        "itertools",  "json",        "locale",
    "logging",     "math",       "mimetypes", "operator",   "os",          "pathlib",
    "pickle",      "platform",   "pprint",    "queue",      "random",      "re",
    "secrets",     "select",     "selectors", "shlex",      "shutil",      "signal",
    "socket",      "sqlite3",    "ssl",       "statistics", "string",      "struct",
    "subprocess",  "sys",        "tempfile",  "textwrap",   "threading",   "time",
    "timeit",      "traceback",  "types",     "typing",     "unicodedata", "uuid",
    "warnings",    "weakref",    "zipfile",   "zlib"};
// Those that mean one thing in all code.
constexpr StandardNames kNames[] = {
    {"abc", "ABC ABCMeta abstractmethod"},
    {"argparse", "ArgumentParser"},
    {"collections", "ChainMap Counter OrderedDict defaultdict deque namedtuple"},
    {"concurrent.futures", "ProcessPoolExecutor ThreadPoolExecutor"},
    {"contextlib",
     "ExitStack asynccontextmanager contextmanager nullcontext redirect_stdout "
     "suppress"},
    {"copy", "deepcopy"},
    {"dataclasses", "asdict dataclass field"},
    {"datetime", "timedelta timezone"},
    {"decimal", "Decimal"},
    {"enum", "Enum IntEnum IntFlag"},
    {"fractions", "Fraction"},
    {"functools", "cached_property lru_cache partial reduce total_ordering wraps"},
    {"io", "BytesIO StringIO"},
    {"itertools", "combinations groupby islice permutations zip_longest"},
    {"pathlib", "Path PurePath"},
    {"tempfile", "NamedTemporaryFile TemporaryDirectory"},
    {"textwrap", "dedent"},
    {"types", "MappingProxyType SimpleNamespace"},
    {"typing",
     "Annotated Any AnyStr AsyncIterable AsyncIterator Awaitable BinaryIO Callable "
     "ClassVar Coroutine DefaultDict Deque Dict Final FrozenSet Generator Generic "
     "Hashable Iterable Iterator List Literal Mapping MutableMapping MutableSequence "
     "NamedTuple NewType NoReturn Optional Protocol Sequence Set TYPE_CHECKING TextIO "
     "Tuple Type TypeVar TypedDict Union cast overload"},
    {"unittest.mock", "MagicMock"},
    {"urllib.parse", "urlencode urljoin urlparse"},
    {"uuid", "uuid4"},
};
constexpr ImportForm kImportForms[] = {{"import {module}"}};
constexpr StandardModules kStandardModules{.paths = kModules,
                                           .forms = kImportForms,
                                           .names = kNames,
                                           .name_form = "from {module} import {name}",
                                           .joins_names = true};

constexpr IndentedBlocks kBlocks{
    .heads = "async case class def elif else except finally for if match try while with",
    .wrapping_heads = "if for while with try async",
    .continuing = "elif else except finally ) ] }",
    .decorator = "@",
    .long_quotes = "\"\"\" '''"};

constexpr std::string_view kBuiltins =
    "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup "
    "BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError "
    "ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError "
    "DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception "
    "ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning "
    "GeneratorExit IOError ImportError ImportWarning IndentationError IndexError InterruptedError "
    "IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError "
    "NameError None NotADirectoryError NotImplemented NotImplementedError OSError OverflowError "
    "PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError "
    "ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError "
    "SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError UnboundLocalError "
    "UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning "
    "UserWarning ValueError Warning ZeroDivisionError __debug__ __doc__ __import__ __loader__ "
    "__name__ __package__ __spec__ abs aiter all anext any ascii bin bool breakpoint bytearray "
    "bytes callable chr classmethod compile complex delattr dict dir divmod enumerate eval exec "
    "exit filter float format frozenset getattr globals hasattr hash help hex id input int "
    "isinstance issubclass iter len list locals map max memoryview min next object oct open ord "
    "pow print property quit range repr reversed round set setattr slice sorted staticmethod str "
    "sum super tuple type vars zip __file__ __path__ __all__ __annotations__ __builtins__ "
    "__dict__ __module__ __qualname__ __class__ __version__ WindowsError PythonFinalizationError "
    "unicode basestring xrange raw_input long unichr reduce cmp file execfile reload coerce "
    "intern apply buffer reveal_type reveal_locals";
constexpr KnownNames kKnownNames{
    .builtins = kBuiltins,
    .wildcards = "*",
    .doubts_wildcards = true,
    .members = {.case_mark = ".",
                .are_cases_constants = true,
                .enumeration_bases = "Enum IntEnum StrEnum Flag IntFlag",
                .body_marks = ":",
                .has_own_members = true,
                .opening_texts = "setattr __dict__ __getattr__ __getattribute__ vars("}};

constexpr ContainerTypes kContainers{
    .cases = "match_statement class_definition?superclasses if_statement?alternative",
    .fields = "class_definition dictionary",
    .methods = "class_definition",
    .entries = "dictionary list set tuple",
    .option_calls = "add_argument add_option add_parser option argument"};

constexpr LanguageFiles kFiles[] = {{"python", "py pyi pyw"}};
constexpr CommentMarks kComments[] = {{"#"}};
constexpr std::string_view kImportLines[] = {"import ", "from "};

}  // namespace

constinit const Language kPython = {
    .ids = "python",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "python",
    .definitions = kDefinitions,
    .wrappers = "decorated_definition",
    .lone_wrappers = kHasNone,
    .leading = "comment",
    .identifiers = kHasNone,
    .sequences = "module block dictionary list set tuple",
    .parts = "else_clause elif_clause except_clause finally_clause",
    .function_values = "function_definition",
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "import_statement import_from_statement future_import_statement",
    .import_words = kHasNone,
    .import_heads = kHasNone,
    .has_local_imports = true,
    .modules = ModuleSystem::kPython,
    .standard_modules = &kStandardModules,
    .known_names = &kKnownNames,
    .import_lines = kImportLines,
    .declaring_words = "import from def class",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = &kBlocks,
    .has_ellipsis_statement = true,
    .has_optional_types = true,
    .keywords =
        "False None True and as assert async await break class continue def del elif else except "
        "finally for from global if import in is lambda nonlocal not or pass raise return try "
        "while with yield __debug__",
    .has_keyword_members = false};

}  // namespace redraft
