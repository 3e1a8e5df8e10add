// One language, as a row of facts: everything that redraft knows about a language is in its row.
//
// To add a language:
//   1. Write languages/NAME.cpp, which defines the row `kNAME`. Copy a row of a similar language. A
//      fact that is missing does not compile; kHasNone states that there is nothing to say.
//   2. Add a line to languages/languages.inc: the row, the grammar and its npm package. Remove the
//      line of languages/known_by_name.cpp, if there is one. Run
//      `npm install --package-lock-only PACKAGE@VERSION` in tools/locks/grammars, `make setup` and
//      `tools/dependencies.py --write`; they write the lock file and docs/dependencies.md.
//   3. Add a sample to tests/indexing/syntax/samples.cpp, and cases to tests/cases/regions, and to
//      renames and calls if the row states scopes. REDRAFT_UPDATE_CASES=1 writes their results.
//   4. Add its name to docs/limits.md.
// Tests name what is missing in each of these places, and nodes that the grammar does not have.
// A language without a grammar is a line in languages/known_by_name.cpp: redraft treats its files
// as lines of text.
//
// A list is words, separated by spaces. A node is the name of a node type in the tree-sitter
// grammar.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "languages/container_types.h"
#include "languages/definition_types.h"
#include "languages/fact.h"
#include "languages/scope_types.h"
#include "languages/signature_types.h"

namespace redraft {

// Files that have a language id.
struct LanguageFiles {
  std::string_view id;
  std::string_view endings;     // without the dot, in lower case
  std::string_view names = {};  // whole file names, in lower case
};

enum class Content : std::uint8_t {
  kCode,
  kShell,        // code that people also type into a terminal
  kData,         // data, markup and style sheets: nothing in them is called
  kProse,        // paragraphs, which may be one long line each
  kFencedProse,  // prose that contains code between fences
};

// How an import statement says which file it imports.
enum class ModuleSystem : std::uint8_t {
  kUnknown,  // redraft cannot tell
  kPython,   // "from a.b import name": a/b.py
  kScript,   // "import {name} from './a/b'"
  kRust,     // "use crate::a::b::name"
  kGo,       // "import "host/a/b"": a folder; its files share their names
  kJava,     // "import a.b.Name": a/b/Name.java; the files of a folder share their names
  kCSharp,   // namespaces, which no file name follows
  kInclude,  // "#include "a/b.h""
};

// The mark that begins a comment, and the one that ends it; empty: the comment ends with its line.
struct CommentMarks {
  std::string_view open;
  std::string_view close = {};
};

// The lines of a language whose blocks are what is indented below a line that ends with ":".
struct IndentedBlocks {
  std::string_view heads;           // words that such a line begins with
  std::string_view wrapping_heads;  // those that one also writes around existing statements
  std::string_view continuing;      // words, and brackets, that continue the statement above
  std::string_view decorator;       // begins a line that belongs to the definition below
  std::string_view long_quotes;     // quotes of strings that extend over several lines
};

// Names that mean what a module of the standard library has, wherever nothing declares them.
struct StandardNames {
  std::string_view module, names;
};

// An import statement, in which "{module}" and "{name}" stand for an import's.
struct ImportForm {
  std::string_view text;
  std::string_view where = {};  // for files with this text; empty: for all
};

// What the standard library has whose import redraft adds if the model forgets it.
struct StandardModules {
  std::span<const std::string_view> paths;  // the last part of a path is the name in code
  std::span<const ImportForm> forms;        // of modules; the first one that the file allows
  std::span<const StandardNames> names = {};
  std::string_view name_form = {};  // an ImportForm::text for `names`
  // What stands before one of `names` in code: "std::"; empty: they stand by themselves.
  std::string_view qualifier = {};
  // One statement makes known several names of a module, between these brackets or without any.
  bool joins_names = false;
  std::string_view brackets = {};
};

// What a type says of its members.
struct TypeMembers {
  // Between an enumeration and one of its cases; empty: none stands there.
  std::string_view case_mark = {};
  bool are_cases_constants = false;  // in upper case
  bool are_cases_camel = false;      // "InvalidName", which may be called
  // Types that make what is based on them an enumeration, in addition to the word "enum".
  std::string_view enumeration_bases = {};
  // Words before what else a type may have, in a part of its own.
  std::string_view declaring_words = {};
  std::string_view body_marks = "{";  // any of these characters begins the body
  // A class without bases has no other members than the file says.
  bool has_own_members = false;
  // A struct has no other fields than the file says, but those of embedded ones.
  bool has_struct_fields = false;
  // Members that any type has, and texts in a class that says not all of its members.
  std::string_view builtins = {}, opening_texts = {};
};

// What a file knows without declaring or importing it.
struct KnownNames {
  std::string_view builtins;
  // Words of an import that makes known all names of something; empty: none does.
  std::string_view wildcards = {};
  bool doubts_wildcards = false;  // people avoid such imports
  TypeMembers members = {};
};

struct Language {
  // LSP's id, then other ids that editors use.
  Fact<std::string_view> ids;
  // The first ending is the one for a new file.
  Fact<std::span<const LanguageFiles>> files;
  // The name that languages share whose functions call each other; kHasNone: no other language.
  Fact<std::string_view> shared_family;
  Fact<Content> content;

  // The grammar's name N: its parser is tree_sitter_N(). kHasNone: files are lines of text, and the
  // other facts about nodes are kHasNone as well.
  Fact<std::string_view> grammar;
  Fact<std::span<const DefinitionType>> definitions;
  // Nodes around a definition that are part of it: decorators, `export` or template parameters.
  Fact<std::string_view> wrappers;
  // The same, for nodes that contain nothing else.
  Fact<std::string_view> lone_wrappers;
  // Nodes that belong to the definition directly below: comments, attributes.
  Fact<std::string_view> leading;
  // Nodes that are names, in addition to "identifier" and "…_identifier".
  Fact<std::string_view> identifiers;
  // Nodes whose children stand on their own lines: blocks, bodies, objects.
  Fact<std::string_view> sequences;
  // Nodes that belong to the statement around them, even in a sequence: an `else`, an opening tag.
  Fact<std::string_view> parts;
  // Nodes that are functions or classes as values, for DefinitionTest::kHoldsFunction.
  Fact<std::string_view> function_values;
  // Where names are declared and used; null: redraft does not follow names.
  Fact<const ScopeTypes*> scopes;
  // What has parts that one adds: cases, fields; null: nothing does.
  Fact<const ContainerTypes*> containers;
  // Parameters and arguments; null: redraft does not follow changes of signatures.
  Fact<const SignatureTypes*> signatures;

  // Nodes that make names of other files known.
  Fact<std::string_view> imports;
  // Words that a statement begins with, or calls, which does the same but has no node of its own.
  Fact<std::string_view> import_words;
  // Nodes that stand above the imports of a file, in addition to comments.
  Fact<std::string_view> import_heads;
  // A function may contain imports of its own.
  Fact<bool> has_local_imports;
  Fact<ModuleSystem> modules;
  // Null: redraft adds no forgotten imports.
  Fact<const StandardModules*> standard_modules;
  // Null: redraft does not look for names that nothing defines.
  Fact<const KnownNames*> known_names;
  // Texts, each with the blank behind a word, that an import begins with at the left margin.
  Fact<std::span<const std::string_view>> import_lines;

  // Words that begin an import or a definition at the left margin.
  Fact<std::string_view> declaring_words;
  // The first is the one for a comment on a line of its own.
  Fact<std::span<const CommentMarks>> comments;
  // Words at the end of a line that open a block, in addition to "{".
  Fact<std::string_view> block_words;
  // Words that are the last line of a block.
  Fact<std::string_view> closing_words;
  // Null: brackets or words enclose blocks.
  Fact<const IndentedBlocks*> indented_blocks;
  // "..." on a line of its own is a statement.
  Fact<bool> has_ellipsis_statement;
  // Types of variables and parameters may be omitted.
  Fact<bool> has_optional_types;
  // Words that cannot be the name of a variable, function or type: the reserved words. Words that
  // are keywords in some places only are not among them.
  Fact<std::string_view> keywords;
  // A member may have a reserved word as its name: JavaScript's `map.delete(key)`.
  Fact<bool> has_keyword_members;
  // Commands below the head of a rule begin with a tab.
  bool has_tab_recipes = false;

  constexpr bool has_grammar() const { return !grammar->empty(); }
  constexpr bool is_code() const {
    return *content == Content::kCode || *content == Content::kShell;
  }
  constexpr std::string_view id() const { return ids->substr(0, ids->find(' ')); }
  constexpr std::string_view family() const {
    return shared_family->empty() ? id() : std::string_view(*shared_family);
  }
};

}  // namespace redraft
