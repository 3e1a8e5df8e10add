// Any bytes parse in any language, within bounds, and everything that the tree returns is within
// the text, also after a change. The first byte is the language, as an index into samples(), and
// the next two are the place of the change.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "indexing/syntax/chunks.h"
#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/syntax_tree.h"
#include "tests/indexing/syntax/samples.h"

namespace redraft {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read_all(const SyntaxTree& tree) {
  const std::size_t size = tree.text().size();
  const std::vector<Definition> definitions = tree.definitions();
  for (const Definition& definition : definitions) {
    require(definition.range.begin <= definition.range.end && definition.range.end <= size);
    require(definition.name.begin <= definition.name.end && definition.name.end <= size);
  }
  for (const ByteRange& identifier : tree.identifiers({0, size})) require(identifier.end <= size);
  for (const std::size_t token : tree.line_tokens()) require(token < size);
  for (const SyntaxError& error : tree.errors()) require(error.range.end <= size);
  for (std::size_t offset = 0; offset <= size; offset += 1 + size / 16)
    (void)tree.enclosing_definition(offset);
  for (const char* name : {"a", "x", "name"}) {
    const std::optional<NameMeanings> meanings = tree.meanings_of(name);
    if (!meanings) continue;
    for (const NamedThing& thing : meanings->things) {
      for (const NameUse& use : thing.uses) require(use.range.end <= size && !use.range.empty());
    }
  }
  std::size_t chunked = 0;
  for (const ByteRange& chunk : chunks(tree.text(), definitions, 64)) {
    require(chunk.begin == chunked && chunk.end > chunk.begin && chunk.size() <= 64);
    chunked = chunk.end;
  }
  require(chunked == size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const char* language = samples()[data[0] % samples().size()].language;
  const std::string text(reinterpret_cast<const char*>(data + 3), size - 3);
  const std::optional<SyntaxTree> tree =
      SyntaxTree::parse(std::make_shared<const std::string>(text), language);
  if (!tree) return 0;  // beyond the limits
  read_all(*tree);
  std::string changed = text;
  const std::size_t at = data[1] % (text.size() + 1);
  changed.erase(at, data[2] % 16U);
  changed.insert(at, text, 0, data[2] / 16U);
  const std::optional<SyntaxTree> edited =
      tree->edited(std::make_shared<const std::string>(changed));
  if (edited) read_all(*edited);
  return 0;
}

}  // namespace redraft
