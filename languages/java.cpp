#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kType = DefinitionKind::kType;
constexpr auto kModule = DefinitionKind::kModule;

constexpr DefinitionType kDefinitions[] = {{"method_declaration"},
                                           {"constructor_declaration"},
                                           {"compact_constructor_declaration"},
                                           {"class_declaration", kType},
                                           {"interface_declaration", kType},
                                           {"enum_declaration", kType},
                                           {"record_declaration", kType},
                                           {"annotation_type_declaration", kType},
                                           {"module_declaration", kModule}};

constexpr ScopeTypes kScopes{
    .functions =
        "method_declaration constructor_declaration compact_constructor_declaration "
        "lambda_expression static_initializer",
    .blocks =
        "block constructor_body for_statement enhanced_for_statement catch_clause "
        "try_with_resources_statement switch_block switch_block_statement_group switch_rule "
        "class_declaration interface_declaration enum_declaration record_declaration",
    .types = "class_body interface_body enum_body annotation_type_body record_declaration",
    .here =
        "variable_declarator.name enhanced_for_statement.name resource.name "
        "instanceof_expression.name type_pattern+ type_parameter catch_formal_parameter.name",
    .around =
        "class_declaration.name interface_declaration.name enum_declaration.name "
        "record_declaration.name annotation_type_declaration.name",
    .parameters = "formal_parameter.name inferred_parameters lambda_expression.parameters",
    .parameter_lists = "formal_parameter formal_parameters inferred_parameters",
    .member_declarations = "method_declaration.name enum_constant.name",
    .components = "record_declaration",
    .hiding = "variable_declarator",
    .members = "field_access.field method_invocation.name?object method_reference+",
    .keys =
        "scoped_identifier+ scoped_type_identifier+ labeled_statement break_statement "
        "continue_statement element_value_pair.key",
    .apart = "package_declaration import_declaration",
    .callables = "method_invocation.name method_declaration.name method_reference+",
    .foreign = "switch_label module_declaration",
    .base_nodes = "superclass extends_interfaces",
    .interface_nodes = "super_interfaces",
    .own = "this super",
    .predefined =
        "var record yield sealed permits Object String Integer Long Short Byte Character Boolean "
        "Double Float Number Math System Thread Runnable Iterable Comparable CharSequence "
        "StringBuilder Class Enum Record Void Process Runtime Throwable Exception Error "
        "RuntimeException Override Deprecated FunctionalInterface SuppressWarnings",
    .name_finders = "getField getDeclaredField getMethod getDeclaredMethod",
    .path_finders = "forName",
    .known_from = KnownFrom::kName,
    .loops = "enhanced_for_statement",
    .bare_members = true,
    .has_unique_locals = true,
    .separate_types = true};

constexpr SignatureTypes kSignatures{
    .parameter_lists = "formal_parameters",
    .argument_lists = "argument_list",
    .rest = "spread_parameter",
    .receivers = "receiver_parameter",
    .constructors = "constructor_declaration",
    .calls = "method_invocation.name object_creation_expression.type",
    .callee_parts = "generic_type",
    .has_overloads = true};

constexpr std::string_view kBuiltins =
    "Appendable AutoCloseable CharSequence Cloneable Comparable Iterable Readable Runnable "
    "ProcessHandle Boolean Byte Character Class ClassLoader ClassValue Double Enum Float "
    "InheritableThreadLocal Integer Long Math Module ModuleLayer Number Object Package Process "
    "ProcessBuilder Record Runtime RuntimePermission ScopedValue SecurityManager Short "
    "StackTraceElement StackWalker StrictMath String StringBuffer StringBuilder StringTemplate "
    "System Thread ThreadGroup ThreadLocal Throwable Void ArithmeticException "
    "ArrayIndexOutOfBoundsException ArrayStoreException ClassCastException ClassNotFoundException "
    "CloneNotSupportedException EnumConstantNotPresentException Exception IllegalAccessException "
    "IllegalArgumentException IllegalCallerException IllegalMonitorStateException "
    "IllegalStateException IllegalThreadStateException IndexOutOfBoundsException "
    "InstantiationException InterruptedException LayerInstantiationException MatchException "
    "NegativeArraySizeException NoSuchFieldException NoSuchMethodException NullPointerException "
    "NumberFormatException ReflectiveOperationException RuntimeException SecurityException "
    "StringIndexOutOfBoundsException TypeNotPresentException UnsupportedOperationException "
    "WrongThreadException AbstractMethodError AssertionError BootstrapMethodError "
    "ClassCircularityError ClassFormatError Error ExceptionInInitializerError IllegalAccessError "
    "IncompatibleClassChangeError InstantiationError InternalError LinkageError "
    "NoClassDefFoundError NoSuchFieldError NoSuchMethodError OutOfMemoryError StackOverflowError "
    "ThreadDeath UnknownError UnsatisfiedLinkError UnsupportedClassVersionError VerifyError "
    "VirtualMachineError Deprecated FunctionalInterface Override SafeVarargs SuppressWarnings "
    "getClass hashCode equals toString clone notify notifyAll wait finalize length values valueOf "
    "ordinal name compareTo java javax jdk sun com org net io dev edu var record yield";
constexpr KnownNames kKnownNames{.builtins = kBuiltins,
                                 .wildcards = "*",
                                 .members = {.case_mark = ".", .are_cases_constants = true}};

constexpr ContainerTypes kContainers{
    .cases = "switch_expression enum_declaration",
    .fields = "class_declaration interface_declaration enum_declaration record_declaration",
    .methods = "class_declaration interface_declaration enum_declaration record_declaration",
    .entries = "array_initializer",
    .option_calls = "addOption addArgument"};

// Those that mean one thing in all code.
constexpr StandardNames kNames[] = {
    {"java.io",
     "BufferedReader ByteArrayInputStream ByteArrayOutputStream File "
     "FileNotFoundException IOException InputStream InputStreamReader OutputStream "
     "PrintWriter Reader Serializable StringReader StringWriter UncheckedIOException "
     "Writer"},
    {"java.math", "BigDecimal BigInteger"},
    {"java.nio.charset", "Charset StandardCharsets"},
    {"java.nio.file", "Files Path Paths"},
    {"java.time", "Duration Instant LocalDate LocalDateTime ZonedDateTime"},
    {"java.util",
     "ArrayDeque ArrayList Arrays BitSet Collection Collections Comparator "
     "ConcurrentModificationException Deque EnumMap EnumSet HashMap HashSet Iterator "
     "LinkedHashMap LinkedHashSet LinkedList List Locale Map NoSuchElementException "
     "Objects Optional PriorityQueue Queue Scanner Set SortedMap SortedSet "
     "StringJoiner TreeMap TreeSet UUID"},
    {"java.util.concurrent",
     "CompletableFuture ConcurrentHashMap ConcurrentMap CountDownLatch ExecutorService "
     "Executors TimeUnit"},
    {"java.util.concurrent.atomic", "AtomicBoolean AtomicInteger AtomicLong AtomicReference"},
    {"java.util.function",
     "BiConsumer BiFunction BinaryOperator Consumer Function Predicate Supplier "
     "UnaryOperator"},
    {"java.util.regex", "Matcher Pattern"},
    {"java.util.stream", "Collectors IntStream Stream"},
};
constexpr StandardModules kStandardModules{
    .paths = {}, .forms = {}, .names = kNames, .name_form = "import {module}.{name};"};

constexpr LanguageFiles kFiles[] = {{"java", "java"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"import "};

}  // namespace

constinit const Language kJava = {
    .ids = "java",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "java",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "line_comment block_comment",
    .identifiers = kHasNone,
    .sequences =
        "program class_body interface_body enum_body enum_body_declarations annotation_type_body "
        "block constructor_body switch_block switch_block_statement_group array_initializer",
    .parts = "finally_clause catch_clause switch_label enum_body_declarations",
    .function_values = kHasNone,
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "import_declaration",
    .import_words = kHasNone,
    .import_heads = "package_declaration",
    .has_local_imports = false,
    .modules = ModuleSystem::kJava,
    .standard_modules = &kStandardModules,
    .known_names = &kKnownNames,
    .import_lines = kImportLines,
    .declaring_words = "import package class interface enum",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "abstract assert boolean break byte case catch char class const continue default do double "
        "else enum extends false final finally float for goto if implements import instanceof int "
        "interface long native new null package private protected public return short static "
        "strictfp super switch synchronized this throw throws transient true try void volatile "
        "while _",
    .has_keyword_members = false};

}  // namespace redraft
