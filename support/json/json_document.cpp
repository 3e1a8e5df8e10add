// All values are in one array in the order of the text, a container before its children; each knows
// where the next value after it begins. So half a million merges take two allocations. No value
// stores its path: when an error needs the path, it is found by walking down to the value.
#include "support/json/json_document.h"

#include <algorithm>
#include <cassert>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace redraft {

namespace {

using Kind = JsonValue::Kind;

struct Node {
  Kind kind = Kind::kNull;
  std::uint32_t next = 0;    // the index of the value after this one and everything in it
  std::uint32_t count = 0;   // children
  std::uint32_t key_at = 0;  // in Tree::texts
  std::uint32_t key_size = 0;
  std::uint32_t text_at = 0;
  std::uint32_t text_size = 0;
  union {
    bool flag;
    std::int64_t integer;
    double real;
  };
};

// A name for an error message: short, and on one line.
std::string shown(std::string_view key) {
  constexpr std::size_t kShown = 60;
  std::string out;
  for (const char c : key.substr(0, kShown)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (key.size() > kShown ? "…" : "");
}

}  // namespace

struct JsonDocument::Tree {
  std::string name;
  std::vector<Node> nodes;
  std::string texts;  // all keys and texts

  std::string_view key(const Node& node) const {
    return std::string_view(texts).substr(node.key_at, node.key_size);
  }
  std::string_view text(const Node& node) const {
    return std::string_view(texts).substr(node.text_at, node.text_size);
  }
  // "rope_scaling.factor", "merges[7]"; empty for the root.
  std::string path(std::uint32_t target) const {
    std::string out;
    for (std::uint32_t at = 0; at != target;) {
      const bool is_array = nodes[at].kind == Kind::kArray;
      std::uint32_t position = 0;
      std::uint32_t child = at + 1;
      for (; nodes[child].next <= target; child = nodes[child].next) ++position;
      if (is_array) {
        out += "[" + std::to_string(position) + "]";
      } else {
        out += (out.empty() ? "" : ".") + shown(key(nodes[child]));
      }
      at = child;
    }
    return out;
  }
  Error error(std::uint32_t index, std::string_view reason) const {
    const std::string where = path(index);
    return Error(name + ": " + (where.empty() ? "" : where + ": ") + std::string(reason));
  }
};

namespace {

// Builds a tree from the parser's events; the first problem stops it.
class TreeBuilder : public nlohmann::json::json_sax_t {
 public:
  TreeBuilder(JsonDocument::Tree& tree, const JsonLimits& limits) : tree_(tree), limits_(limits) {}

  const std::optional<Error>& problem() const { return problem_; }

  bool null() override { return add(Kind::kNull) != nullptr; }
  bool boolean(bool value) override {
    Node* node = add(Kind::kBool);
    if (node) node->flag = value;
    return node != nullptr;
  }
  bool number_integer(number_integer_t value) override {
    Node* node = add(Kind::kInteger);
    if (node) node->integer = value;
    return node != nullptr;
  }
  bool number_unsigned(number_unsigned_t value) override {
    const bool fits = value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    Node* node = add(fits ? Kind::kInteger : Kind::kReal);
    if (!node) return false;
    if (fits) {
      node->integer = static_cast<std::int64_t>(value);
    } else {
      node->real = static_cast<double>(value);
    }
    return true;
  }
  bool number_float(number_float_t value, const string_t&) override {
    Node* node = add(Kind::kReal);
    if (node) node->real = value;
    return node != nullptr;
  }
  bool string(string_t& value) override {
    Node* node = add(Kind::kText);
    if (node) std::tie(node->text_at, node->text_size) = keep(value);
    return node != nullptr;
  }
  bool binary(binary_t&) override { return false; }  // JSON text has no binary values

  bool start_object(std::size_t) override { return open(Kind::kObject); }
  bool key(string_t& name) override {
    std::tie(key_at_, key_size_) = keep(name);
    return true;
  }
  bool end_object() override {
    const std::uint32_t container = open_.back();
    close();
    return keys_differ(container);
  }
  bool start_array(std::size_t) override { return open(Kind::kArray); }
  bool end_array() override {
    close();
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& failure) override {
    // The message says "[code] parse error at line 1, column 2: syntax error while …: what; last
    // read: …; expected …", where "last read" quotes the file.
    const std::string_view what = failure.what();
    const bool utf8 = what.find("UTF-8") != what.npos;
    const bool range = what.find("out_of_range") != what.npos;
    const char* reason = utf8 ? "not UTF-8" : range ? "a number out of range" : "malformed JSON";
    return fail(Error(tree_.name + ": " + reason + " at byte " + std::to_string(position)));
  }

 private:
  bool fail(Error error) {
    problem_ = std::move(error);
    return false;
  }

  Node* add(Kind kind) {
    if (tree_.nodes.size() >= limits_.values) {
      fail(Error(tree_.name + ": has more than " + std::to_string(limits_.values) + " values"));
      return nullptr;
    }
    Node& node = tree_.nodes.emplace_back();
    node.kind = kind;
    node.integer = 0;
    node.next = static_cast<std::uint32_t>(tree_.nodes.size());
    if (!open_.empty()) {
      Node& container = tree_.nodes[open_.back()];
      ++container.count;
      if (container.kind == Kind::kObject) {
        node.key_at = key_at_;
        node.key_size = key_size_;
      }
    }
    return &node;
  }

  bool open(Kind kind) {
    if (static_cast<int>(open_.size()) >= limits_.depth) {
      return fail(
          Error(tree_.name + ": nested deeper than " + std::to_string(limits_.depth) + " levels"));
    }
    if (!add(kind)) return false;
    open_.push_back(static_cast<std::uint32_t>(tree_.nodes.size() - 1));
    return true;
  }

  void close() {
    tree_.nodes[open_.back()].next = static_cast<std::uint32_t>(tree_.nodes.size());
    open_.pop_back();
  }

  bool keys_differ(std::uint32_t container) {
    children_.clear();
    for (std::uint32_t at = container + 1; at != tree_.nodes[container].next;
         at = tree_.nodes[at].next) {
      children_.push_back(at);
    }
    const auto key = [this](std::uint32_t at) { return tree_.key(tree_.nodes[at]); };
    std::sort(children_.begin(), children_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    const auto same =
        std::adjacent_find(children_.begin(), children_.end(),
                           [&](std::uint32_t a, std::uint32_t b) { return key(a) == key(b); });
    if (same == children_.end()) return true;
    const std::uint32_t repeated = *same;
    while (!open_.empty()) close();  // finds an error's path from the root down
    return fail(tree_.error(repeated, "appears twice"));
  }

  std::pair<std::uint32_t, std::uint32_t> keep(std::string_view text) {
    const std::size_t at = tree_.texts.size();
    tree_.texts += text;
    return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(text.size())};
  }

  JsonDocument::Tree& tree_;
  JsonLimits limits_;
  std::vector<std::uint32_t> open_;  // containers around the next value
  std::vector<std::uint32_t> children_;
  std::uint32_t key_at_ = 0;
  std::uint32_t key_size_ = 0;
  std::optional<Error> problem_;
};

Error too_large(const std::string& name, std::uintmax_t bytes, std::size_t most) {
  return Error(name + ": " + std::to_string(bytes) +
               " bytes is too large; redraft reads files like this up to " + std::to_string(most));
}

Result<std::string> read_text(const std::filesystem::path& file, std::size_t most) {
  std::error_code problem;
  const bool regular = std::filesystem::is_regular_file(file, problem);
  if (problem) return Error(file.string() + ": " + problem.message());
  if (!regular) return Error(file.string() + ": not a regular file");
  const std::uintmax_t bytes = std::filesystem::file_size(file, problem);
  if (problem) return Error(file.string() + ": " + problem.message());
  if (bytes > most) return too_large(file.string(), bytes, most);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream) return Error(file.string() + ": cannot be read");
  return text;
}

}  // namespace

Result<JsonDocument> JsonDocument::open(const std::filesystem::path& file,
                                        const JsonLimits& limits) {
  const Result<std::string> text = read_text(file, limits.bytes);
  if (!text) return text.error();
  return parse(file.string(), *text, limits);
}

Result<JsonDocument> JsonDocument::parse(std::string name, std::string_view text,
                                         const JsonLimits& limits) {
  assert(limits.bytes <= std::numeric_limits<std::uint32_t>::max());
  assert(limits.values <= std::numeric_limits<std::uint32_t>::max());
  if (text.size() > limits.bytes) return too_large(name, text.size(), limits.bytes);
  auto tree = std::make_unique<Tree>();
  tree->name = std::move(name);
  TreeBuilder builder(*tree, limits);
  const bool parsed = nlohmann::json::sax_parse(text, &builder);
  if (builder.problem()) return *builder.problem();
  if (!parsed) return Error(tree->name + ": malformed JSON");
  return JsonDocument(std::move(tree));
}

JsonDocument::JsonDocument(std::unique_ptr<const Tree> tree) : tree_(std::move(tree)) {}
JsonDocument::~JsonDocument() = default;
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;

const std::string& JsonDocument::name() const { return tree_->name; }
JsonValue JsonDocument::root() const { return {tree_.get(), 0}; }

JsonValue::Kind JsonValue::kind() const { return tree_->nodes[index_].kind; }

Result<bool> JsonValue::boolean() const {
  if (kind() != Kind::kBool) return error("expected true or false");
  return tree_->nodes[index_].flag;
}

Result<std::int64_t> JsonValue::integer(std::int64_t least, std::int64_t most) const {
  if (kind() != Kind::kInteger) return error("expected a whole number");
  const std::int64_t value = tree_->nodes[index_].integer;
  if (value < least || value > most) {
    return error(std::to_string(value) + " is outside " + std::to_string(least) + ".." +
                 std::to_string(most));
  }
  return value;
}

Result<double> JsonValue::number() const {
  const Node& node = tree_->nodes[index_];
  if (node.kind == Kind::kInteger) return static_cast<double>(node.integer);
  if (node.kind != Kind::kReal) return error("expected a number");
  return node.real;
}

Result<std::string_view> JsonValue::text() const {
  if (kind() != Kind::kText) return error("expected a string");
  return tree_->text(tree_->nodes[index_]);
}

Result<JsonValue> JsonValue::at(std::string_view wanted) const {
  if (Result<JsonValue> checked = object(); !checked) return checked.error();
  for (const JsonValue child : *this) {
    if (child.key() == wanted) return child;
  }
  return error("has no " + shown(wanted));
}

std::optional<JsonValue> JsonValue::find(std::string_view wanted) const {
  if (kind() != Kind::kObject) return std::nullopt;
  for (const JsonValue child : *this) {
    if (child.key() == wanted) return child.is_null() ? std::nullopt : std::optional(child);
  }
  return std::nullopt;
}

Result<JsonValue> JsonValue::array() const {
  if (kind() != Kind::kArray) return error("expected an array");
  return *this;
}

Result<JsonValue> JsonValue::object() const {
  if (kind() != Kind::kObject) return error("expected an object");
  return *this;
}

std::size_t JsonValue::size() const { return tree_->nodes[index_].count; }
std::string_view JsonValue::key() const { return tree_->key(tree_->nodes[index_]); }
Error JsonValue::error(std::string_view reason) const { return tree_->error(index_, reason); }

JsonValue::Iterator JsonValue::begin() const {
  // There is a next node only if there is a child.
  return {tree_, index_ + 1};
}
JsonValue::Iterator JsonValue::end() const { return {tree_, tree_->nodes[index_].next}; }

JsonValue::Iterator& JsonValue::Iterator::operator++() {
  index_ = tree_->nodes[index_].next;
  return *this;
}

}  // namespace redraft
