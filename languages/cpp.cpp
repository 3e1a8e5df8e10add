#include "languages/c_family.h"
#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kFunction = DefinitionKind::kFunction;
constexpr auto kType = DefinitionKind::kType;
constexpr auto kModule = DefinitionKind::kModule;
constexpr auto kAlways = DefinitionTest::kAlways;
constexpr auto kHasBody = DefinitionTest::kHasBody;

constexpr DefinitionType kDefinitions[] = {
    {"function_definition", kFunction, kAlways, "declarator"},
    {"class_specifier", kType, kHasBody},
    {"struct_specifier", kType, kHasBody},
    {"union_specifier", kType, kHasBody},
    {"enum_specifier", kType, kHasBody},
    {"concept_definition", kType},
    {"namespace_definition", kModule}};

constexpr std::string_view kCppParameters =
    "parameter_declaration.declarator optional_parameter_declaration.declarator "
    "variadic_parameter_declaration.declarator type_parameter_declaration "
    "variadic_type_parameter_declaration optional_type_parameter_declaration.name";
constexpr std::string_view kCppParameterLists =
    "parameter_declaration optional_parameter_declaration variadic_parameter_declaration "
    "parameter_list function_declarator abstract_function_declarator pointer_declarator "
    "reference_declarator parenthesized_declarator type_parameter_declaration "
    "variadic_type_parameter_declaration optional_type_parameter_declaration "
    "template_parameter_list template_declaration";

constexpr ScopeTypes kScopes{
    .functions = "function_definition lambda_expression",
    .blocks =
        "compound_statement for_statement for_range_loop if_statement while_statement "
        "switch_statement catch_clause namespace_definition preproc_function_def "
        "requires_expression",
    .types = "class_specifier struct_specifier union_specifier",
    .here =
        "declaration.declarator type_definition.declarator for_range_loop.declarator "
        "enum_specifier.name?body enumerator.name lambda_capture_initializer.left "
        "alias_declaration.name",
    .around =
        "function_definition.declarator class_specifier.name?body "
        "struct_specifier.name?body union_specifier.name?body preproc_def.name "
        "preproc_function_def.name namespace_definition.name",
    .parameters = kCppParameters,
    .patterns = kCDeclarators,
    .parameter_lists = kCppParameterLists,
    .member_declarations = "field_declaration.declarator",
    .hiding = "field_declaration",
    .members = "field_expression.field field_initializer",
    .qualified = "qualified_identifier.name",
    .keys = "statement_identifier preproc_params",
    .fields = "field_designator",
    .unsure = "using_declaration friend_declaration",
    .foreign =
        "preproc_defined preproc_call preproc_ifdef.name attribute_declaration attribute_specifier "
        "ms_declspec_modifier gnu_asm_expression",
    .base_nodes = "base_class_clause",
    .type_places = "qualified_identifier.scope",
    .own = "this",
    .known_from = KnownFrom::kName,
    .loops = "for_range_loop",
    .bare_members = true,
    .separate_types = true};

constexpr SignatureTypes kSignatures{
    .parameter_lists = "parameter_list",
    .argument_lists = "argument_list",
    .rest = "variadic_parameter variadic_parameter_declaration variadic_declarator",
    .calls = "call_expression.function",
    .callee_parts =
        "field_expression.field qualified_identifier.name template_function.name "
        "template_method.name dependent_name",
    .spreads = "parameter_pack_expansion",
    .has_overloads = true};

constexpr std::string_view kBuiltins =
    "NULL EOF stdin stdout stderr errno true false bool va_start va_end va_arg va_copy main "
    "__func__ __FUNCTION__ __PRETTY_FUNCTION__ __FILE__ __LINE__ __DATE__ __TIME__ defined size_t "
    "ssize_t ptrdiff_t intptr_t uintptr_t wchar_t int8_t int16_t int32_t int64_t uint8_t uint16_t "
    "uint32_t uint64_t intmax_t uintmax_t off_t time_t FILE va_list environ optarg optind opterr "
    "optopt inline asm nullptr typeof static_assert thread_local alignas alignof offsetof assert "
    "std this npos override final import module concept co_await cout cerr cin endl __VA_ARGS__ "
    "__VA_OPT__ __cplusplus __has_include __typeof__ __attribute__ __declspec threadIdx blockIdx "
    "blockDim gridDim warpSize";
constexpr KnownNames kKnownNames{.builtins = kBuiltins, .members = {.case_mark = "::"}};

constexpr ContainerTypes kContainers{
    .cases = "switch_statement enum_specifier",
    .fields = "class_specifier struct_specifier union_specifier",
    .methods = "class_specifier struct_specifier",
    .entries = "initializer_list",
    .option_calls = "add_argument add_option add_options add_flag"};

// Those that mean one thing in all code.
constexpr StandardNames kNames[] = {
    {"algorithm",
     "all_of any_of clamp count_if find find_if lower_bound none_of remove_if reverse "
     "sort stable_sort upper_bound"},
    {"array", "array"},
    {"atomic", "atomic"},
    {"chrono", "chrono"},
    {"condition_variable", "condition_variable"},
    {"deque", "deque"},
    {"filesystem", "filesystem"},
    {"fstream", "fstream ifstream ofstream"},
    {"functional", "function"},
    {"iomanip", "setfill setprecision setw"},
    {"iostream", "cerr cin clog cout endl"},
    {"limits", "numeric_limits"},
    {"list", "list"},
    {"map", "map multimap"},
    {"memory", "make_shared make_unique shared_ptr unique_ptr weak_ptr"},
    {"mutex", "lock_guard mutex scoped_lock unique_lock"},
    {"numeric", "accumulate iota"},
    {"optional", "make_optional nullopt optional"},
    {"queue", "priority_queue queue"},
    {"random", "mt19937 random_device uniform_int_distribution"},
    {"regex", "regex regex_match regex_replace regex_search smatch"},
    {"set", "multiset set"},
    {"span", "span"},
    {"sstream", "istringstream ostringstream stringstream"},
    {"stack", "stack"},
    {"stdexcept", "invalid_argument logic_error out_of_range runtime_error"},
    {"string", "string to_string"},
    {"string_view", "string_view"},
    {"thread", "thread this_thread"},
    {"tuple", "make_tuple tie tuple"},
    {"unordered_map", "unordered_map unordered_multimap"},
    {"unordered_set", "unordered_multiset unordered_set"},
    {"variant", "get_if holds_alternative monostate variant visit"},
    {"vector", "vector"},
};
constexpr StandardModules kStandardModules{.paths = {},
                                           .forms = {},
                                           .names = kNames,
                                           .name_form = "#include <{module}>",
                                           .qualifier = "std::"};

constexpr LanguageFiles kFiles[] = {{"cpp", "cpp cc cxx c++ h hh hpp hxx inl ipp"},
                                    {"cuda-cpp", "cu cuh"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"#include", "using "};

}  // namespace

constinit const Language kCpp = {
    .ids = "cpp cuda-cpp cuda",
    .files = kFiles,
    .shared_family = "c",
    .content = Content::kCode,
    .grammar = "cpp",
    .definitions = kDefinitions,
    .wrappers = "template_declaration type_definition declaration field_declaration",
    .lone_wrappers = kHasNone,
    .leading = "comment",
    .identifiers = kHasNone,
    .sequences = kCSequences,
    .parts = "else_clause catch_clause",
    .function_values = "function_definition",
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "preproc_include",
    .import_words = kHasNone,
    .import_heads = "preproc_call",
    .has_local_imports = false,
    .modules = ModuleSystem::kInclude,
    .standard_modules = &kStandardModules,
    .known_names = &kKnownNames,
    .import_lines = kImportLines,
    .declaring_words = "include using class struct enum",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
        "char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
        "consteval constexpr constinit continue decltype default delete do double dynamic_cast "
        "else enum explicit export extern false float for friend goto if inline int long mutable "
        "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
        "register reinterpret_cast requires return short signed sizeof static static_assert "
        "static_cast struct switch template this thread_local throw true try typedef typeid "
        "typename union unsigned using virtual void volatile wchar_t while xor xor_eq",
    .has_keyword_members = false};

}  // namespace redraft
