#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kType = DefinitionKind::kType;
constexpr auto kImplementation = DefinitionKind::kImplementation;
constexpr auto kModule = DefinitionKind::kModule;
constexpr auto kAlways = DefinitionTest::kAlways;
constexpr auto kHasBody = DefinitionTest::kHasBody;

constexpr DefinitionType kDefinitions[] = {{"function_item"},
                                           {"macro_definition"},
                                           {"struct_item", kType},
                                           {"enum_item", kType},
                                           {"union_item", kType},
                                           {"trait_item", kType},
                                           {"impl_item", kImplementation, kAlways, "type"},
                                           {"mod_item", kModule, kHasBody}};

constexpr ScopeTypes kScopes{
    .functions = "function_item closure_expression function_signature_item",
    .blocks = "block if_expression while_expression for_expression match_arm mod_item",
    .types = "impl_item trait_item struct_item enum_item union_item",
    .here =
        "let_declaration.pattern for_expression.pattern const_item.name static_item.name "
        "type_item.name type_parameter.name",
    .around =
        "function_item.name function_signature_item.name struct_item.name enum_item.name "
        "union_item.name trait_item.name mod_item.name macro_definition.name "
        "use_as_clause.alias",
    .parameters = "parameter.pattern closure_parameters",
    .patterns =
        "tuple_pattern tuple_struct_pattern struct_pattern field_pattern.pattern "
        "field_pattern.name?!pattern reference_pattern ref_pattern mut_pattern captured_pattern "
        "slice_pattern or_pattern",
    .matched = "match_pattern let_condition.pattern",
    .parameter_lists = "parameter parameters closure_parameters",
    .member_declarations = "field_declaration.name enum_variant.name",
    .members = "field_expression.field",
    .qualified = "scoped_identifier.name scoped_type_identifier.name",
    .keys = "label",
    .apart = "use_declaration",
    .fields = "field_initializer.field field_pattern.name?pattern",
    .shorthand = "shorthand_field_initializer shorthand_field_identifier",
    .member_imports = "use_declaration",
    .unsure = "macro_rule",
    .foreign =
        "attribute_item inner_attribute_item type_binding.name lifetime macro_invocation.macro "
        "macro_definition "
        "visibility_modifier label",
    .type_places = "scoped_identifier.path scoped_type_identifier.path",
    .own = "self Self",
    .predefined =
        "Option Some None Result Ok Err Vec String Box Copy Clone Send Sync Sized Drop Fn FnMut "
        "FnOnce Iterator IntoIterator Default Eq Ord PartialEq PartialOrd From Into AsRef AsMut "
        "ToOwned ToString bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 "
        "f64",
    .name_mark = "r#",
    .never_marked = "self Self super crate _",
    .known_from = KnownFrom::kStatement,
    .separate_types = true};

constexpr SignatureTypes kSignatures{
    .parameter_lists = "parameters",
    .argument_lists = "arguments",
    .rest = "variadic_parameter",
    .receivers = "self_parameter",
    .calls = "call_expression.function",
    .callee_parts = "field_expression.field scoped_identifier.name generic_function.function",
    .attributes = "attribute_item"};

constexpr std::string_view kBuiltins =
    "Option Some None Result Ok Err Vec String Box ToString ToOwned Clone Copy Send Sync Sized "
    "Drop Fn FnMut FnOnce AsyncFn AsyncFnMut AsyncFnOnce drop Iterator IntoIterator Extend "
    "DoubleEndedIterator ExactSizeIterator FromIterator Default Debug PartialEq Eq PartialOrd Ord "
    "Hash AsRef AsMut Into From TryFrom TryInto Unpin bool char str u8 u16 u32 u64 u128 usize i8 "
    "i16 i32 i64 i128 isize f32 f64 std core alloc self Self super crate size_of size_of_val "
    "align_of align_of_val main test cfg derive union auto default macro_rules raw";
constexpr KnownNames kKnownNames{.builtins = kBuiltins,
                                 .wildcards = "*",
                                 .members = {.case_mark = "::",
                                             .are_cases_camel = true,
                                             .declaring_words = "type const fn",
                                             .has_struct_fields = true}};

constexpr ContainerTypes kContainers{.cases = "match_expression enum_item",
                                     .fields = "struct_item union_item struct_expression",
                                     .methods = "impl_item trait_item",
                                     .entries = "array_expression",
                                     .option_calls = "arg add_argument"};

// Those that mean one thing in all code.
constexpr StandardNames kNames[] = {
    {"std::borrow", "Cow"},
    {"std::cell", "Cell RefCell"},
    {"std::collections", "BTreeMap BTreeSet BinaryHeap HashMap HashSet VecDeque"},
    {"std::ffi", "CStr CString OsStr OsString"},
    {"std::io", "BufReader BufWriter"},
    {"std::marker", "PhantomData"},
    {"std::path", "Path PathBuf"},
    {"std::rc", "Rc"},
    {"std::str", "FromStr"},
    {"std::sync", "Arc OnceLock"},
    {"std::time", "Duration SystemTime"},
};
constexpr StandardModules kStandardModules{.paths = {},
                                           .forms = {},
                                           .names = kNames,
                                           .name_form = "use {module}::{name};",
                                           .joins_names = true,
                                           .brackets = "{}"};

constexpr LanguageFiles kFiles[] = {{"rust", "rs"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"use "};

}  // namespace

constinit const Language kRust = {
    .ids = "rust",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "rust",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "line_comment block_comment attribute_item",
    .identifiers = kHasNone,
    .sequences =
        "source_file declaration_list field_declaration_list enum_variant_list block match_block "
        "field_initializer_list array_expression",
    .parts = "else_clause",
    .function_values = kHasNone,
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "use_declaration extern_crate_declaration",
    .import_words = kHasNone,
    .import_heads = "inner_attribute_item",
    .has_local_imports = true,
    .modules = ModuleSystem::kRust,
    .standard_modules = &kStandardModules,
    .known_names = &kKnownNames,
    .import_lines = kImportLines,
    .declaring_words = "use fn struct enum trait",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "Self abstract as async await become box break const continue crate do dyn else enum "
        "extern false final fn for if impl in let loop macro match mod move mut override priv pub "
        "ref return self static struct super trait true try type typeof unsafe unsized use virtual "
        "where while yield _",
    .has_keyword_members = false};

}  // namespace redraft
