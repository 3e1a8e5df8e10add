#include "languages/rows.h"

namespace redraft {
namespace {

constexpr auto kFunction = DefinitionKind::kFunction;
constexpr auto kType = DefinitionKind::kType;
constexpr auto kHoldsFunction = DefinitionTest::kHoldsFunction;

constexpr DefinitionType kDefinitions[] = {
    {"function_declaration"},
    {"protocol_function_declaration"},
    {"init_declaration"},
    {.node = "deinit_declaration", .word = "deinitializer"},
    {.node = "subscript_declaration", .name = "subscript", .word = "subscript"},
    {"property_declaration", kFunction, kHoldsFunction, "name", "computed_value", "property"},
    {"class_declaration", kType},
    {.node = "protocol_declaration", .kind = kType, .word = "protocol"},
    {"typealias_declaration", kType}};

constexpr ScopeTypes kScopes{
    .functions =
        "function_declaration init_declaration deinit_declaration subscript_declaration "
        "protocol_function_declaration lambda_literal computed_property computed_getter "
        "computed_setter",
    .blocks =
        "statements if_statement while_statement repeat_while_statement for_statement "
        "switch_entry catch_block class_declaration typealias_declaration",
    .types = "class_declaration protocol_declaration",
    .here =
        "pattern.bound_identifier pattern>pattern if_statement.bound_identifier "
        "guard_statement.bound_identifier while_statement.bound_identifier type_parameter "
        "capture_list_item.name associatedtype_declaration.name",
    .around =
        "function_declaration.name class_declaration.name protocol_declaration.name "
        "typealias_declaration.name protocol_function_declaration.name",
    .parameters = "parameter.name lambda_parameter.name",
    .parameter_lists =
        "parameter lambda_parameter lambda_function_type_parameters lambda_function_type",
    .member_declarations = "enum_entry.name",
    .members = "navigation_suffix.suffix",
    .qualified = "user_type+",
    .keys = "parameter.external_name lambda_parameter.external_name attribute",
    .apart = "import_declaration",
    .arguments = "value_argument_label",
    .constructions = "call_expression",
    .unsure_places =
        "if_statement.bound_identifier?!= guard_statement.bound_identifier?!= "
        "while_statement.bound_identifier?!=",
    .base_nodes = "inheritance_specifier",
    .type_places = "user_type",
    .own = "self super Self",
    .predefined =
        "Any AnyObject Array Bool CaseIterable Character Codable Comparable Decodable Dictionary "
        "Double Encodable Equatable Error Float Hashable Identifiable Int Int8 Int16 Int32 Int64 "
        "Never Optional Result Sendable Set String Substring UInt UInt8 UInt16 UInt32 UInt64 Void "
        "abs assert fatalError map max min precondition print zip newValue oldValue error init "
        "deinit subscript",
    .name_mark = "`",
    .constructor = "init",
    .field_kinds = "struct",
    .known_from = KnownFrom::kStatement,
    .statements = "property_declaration",
    .conditions = "if_statement guard_statement while_statement",
    .bare_members = true,
    .separate_types = true};

constexpr SignatureTypes kSignatures{
    .parameter_lists = "function_declaration init_declaration protocol_function_declaration",
    .argument_lists = "value_arguments",
    .rest_marks = "...",
    .constructors = "init_declaration",
    .calls = "call_expression- constructor_expression.constructed_type",
    .callee_parts = "navigation_expression.suffix navigation_suffix.suffix user_type-",
    .blocks = "lambda_literal",
    .effects = "constructor_expression",
    .attributes = "attribute parameter_modifiers",
    .has_overloads = true,
    .style = {.name_mark = ": ", .has_labels = true}};

constexpr ContainerTypes kContainers{.cases = "switch_statement enum_class_body",
                                     .fields = "class_declaration protocol_declaration",
                                     .methods = "class_declaration protocol_declaration",
                                     .entries = "array_literal dictionary_literal"};

constexpr LanguageFiles kFiles[] = {{"swift", "swift"}};
constexpr CommentMarks kComments[] = {{"//"}, {"/*", "*/"}};
constexpr std::string_view kImportLines[] = {"import "};

}  // namespace

constinit const Language kSwift = {
    .ids = "swift",
    .files = kFiles,
    .shared_family = kHasNone,
    .content = Content::kCode,
    .grammar = "swift",
    .definitions = kDefinitions,
    .wrappers = kHasNone,
    .lone_wrappers = kHasNone,
    .leading = "comment multiline_comment",
    .identifiers = kHasNone,
    .sequences =
        "source_file class_body enum_class_body protocol_body statements switch_statement "
        "computed_property",
    .parts = "catch_block else",
    .function_values = "computed_property",
    .scopes = &kScopes,
    .containers = &kContainers,
    .signatures = &kSignatures,
    .imports = "import_declaration",
    .import_words = kHasNone,
    .import_heads = kHasNone,
    .has_local_imports = false,
    .modules = ModuleSystem::kUnknown,
    .standard_modules = kHasNone,
    .known_names = kHasNone,
    .import_lines = kImportLines,
    .declaring_words = "import class struct enum protocol extension func",
    .comments = kComments,
    .block_words = kHasNone,
    .closing_words = kHasNone,
    .indented_blocks = kHasNone,
    .has_ellipsis_statement = false,
    .has_optional_types = false,
    .keywords =
        "as associatedtype break case catch class continue default defer deinit do else enum "
        "extension fallthrough false fileprivate for func guard if import in init inout internal "
        "is let nil operator precedencegroup private protocol public repeat rethrows return self "
        "Self static struct subscript super switch throw throws true try typealias var where "
        "while",
    .has_keyword_members = true};

}  // namespace redraft
