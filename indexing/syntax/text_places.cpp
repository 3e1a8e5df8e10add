#include "indexing/syntax/text_places.h"

#include <algorithm>

#include "text/strings/names.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

bool is_first_named(const TSNode& parent, const TSNode& child) {
  const TSNode first = ts_node_named_child(parent, 0);
  return !ts_node_is_null(first) && ts_node_eq(first, child);
}

bool is_in_macro(const NamePlace& place) {
  return std::ranges::any_of(place.path,
                             [](const TSNode& node) { return type_of(node) == "token_tree"; });
}

class TextReader {
 public:
  TextReader(const ScopeTypes& types, std::string_view text, std::string_view name)
      : types_(types), text_(text), name_(name) {}

  void read(NamePlace& place, std::size_t index) const {
    const TSNode& around = place.path[index - 1];
    place.role = NameRole::kOther;
    if (type_of(around) == "expression_statement" && ts_node_named_child_count(around) == 1) {
      place.role = NameRole::kComment;  // Python's docstrings
    } else if (is_filled_in(place)) {
      place.role = NameRole::kReference;
    } else if (is_type_text(place, index)) {
      const bool is_of_other = place.range.begin > 0 && text_[place.range.begin - 1] == '.';
      place.role = is_of_other ? NameRole::kUnsure : NameRole::kReference;
    } else if (is_whole(place, index)) {
      place.role = NameRole::kText;
      place.text_form = form_of(around, place.fields[index]);
    } else if (is_path(place, index)) {
      place.role = NameRole::kText;
      place.text_form = NameInText::Form::kPath;
    }
  }

 private:
  static NameInText::Form form_of(const TSNode& around, std::string_view field) {
    const std::string_view type = type_of(around);
    if (type == "literal_type") return NameInText::Form::kType;
    const bool is_index = type.find("subscript") != type.npos ||
                          type == "element_access_expression" ||
                          type == "bracketed_argument_list" || field == "index";
    return is_index ? NameInText::Form::kIndex : NameInText::Form::kWhole;
  }

  std::string_view text_of(const TSNode& node) const {
    const ByteRange range = range_of(node);
    return text_.substr(range.begin, range.size());
  }

  // The last part of "typing.Optional".
  std::string_view last_name(const TSNode& node) const {
    const std::string_view text = text_of(node);
    return text.substr(text.rfind('.') + 1);  // of npos, too
  }

  // What stands between the quotes of a string.
  std::string_view content_of(const TSNode& string) const {
    std::string_view content = text_of(string);
    content.remove_prefix(std::min(content.find_first_of("'\"`"), content.size()));
    content.remove_prefix(std::min(content.find_first_not_of("'\"`"), content.size()));
    return content.substr(0, content.find_last_not_of("'\"`") + 1);
  }

  // Python: a type in quotes, which may be declared further down.
  bool is_type_text(const NamePlace& place, std::size_t index) const {
    constexpr std::string_view kOfTypes =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,[]() |\n\t";
    if (types_.type_texts.empty()) return false;
    const std::string_view content = content_of(place.path[index]);
    const bool is_plain = std::ranges::all_of(content, [&](char byte) {
      return kOfTypes.find(byte) != kOfTypes.npos || static_cast<unsigned char>(byte) >= 0x80;
    });
    if (!is_plain || text_of(place.path[index]).starts_with('f')) return false;
    bool is_type = false;
    for (std::size_t i = index; i-- > 0;) {
      const std::string_view node = type_of(place.path[i]);
      if (node == "generic_type" || node == "subscript") {
        const std::string_view generic = last_name(ts_node_named_child(place.path[i], 0));
        if (has_word(types_.value_generics, generic)) return false;
        if (has_word(types_.typed_values, generic) && !is_first_argument(place, i)) return false;
        is_type = is_type || has_word(types_.text_generics, generic);
      }
      is_type = is_type || has_word(types_.type_texts, node);
      const TSNode called = child_by_field(place.path[i], "function");
      if (ts_node_is_null(called)) continue;
      return is_type || (has_word(types_.text_functions, last_name(called)) &&
                         is_type_argument(last_name(called), place, i + 1, index));
    }
    return is_type;
  }

  // Whether the place is in the first argument of the generic type path[index].
  static bool is_first_argument(const NamePlace& place, std::size_t index) {
    const bool has_list = type_of(place.path[index]) == "generic_type";
    const std::size_t at = index + (has_list ? 2 : 1);
    if (at >= place.path.size()) return false;
    const TSNode first = has_list ? ts_node_named_child(place.path[index + 1], 0)
                                  : child_by_field(place.path[index], "subscript");
    return !ts_node_is_null(first) && ts_node_eq(first, place.path[at]);
  }

  // Whether path[index], in the list of arguments path[list], is a type and no other argument:
  // cast("Node", "text"), TypeVar("T", "Node", bound="Node").
  static bool is_type_argument(std::string_view function, const NamePlace& place, std::size_t list,
                               std::size_t index) {
    if (list >= index) return false;
    const TSNode& argument = place.path[list + 1];
    const bool is_first = is_first_named(place.path[list], argument);
    return function == "cast" || function == "ForwardRef" ? is_first : !is_first;
  }

  // Whether the string is a path with the name in it, not at its beginning: "a.b.name".
  bool is_path(const NamePlace& place, std::size_t index) const {
    const std::string_view content = content_of(place.path[index]);
    if (place.range.begin == 0 || content.empty()) return false;
    const char before = text_[place.range.begin - 1];
    const bool is_plain = std::ranges::all_of(
        content, [](char byte) { return is_name_byte(byte) || byte == '.' || byte == ':'; });
    return is_plain && (before == '.' || before == ':');
  }

  // Whether the string is nothing but the name.
  bool is_whole(const NamePlace& place, std::size_t index) const {
    const ByteRange range = range_of(place.path[index]);
    const std::string_view string = text_.substr(range.begin, range.size());
    const std::size_t begin = string.find_first_of("'\"`");
    if (begin == string.npos) return range.size() == name_.size();
    const std::size_t first = string.find_first_not_of("'\"`", begin);
    const std::size_t last = string.find_last_not_of("'\"`");
    return first != string.npos && string.substr(first, last + 1 - first) == name_;
  }

  // Rust's println!("{name}"): the tree does not look into strings.
  bool is_filled_in(const NamePlace& place) const {
    if (types_.has_dollar_names && is_behind_dollar(place.range.begin)) return true;
    if (!is_in_macro(place) || place.range.begin == 0) return false;
    const char after = place.range.end < text_.size() ? text_[place.range.end] : ' ';
    return text_[place.range.begin - 1] == '{' && (after == '}' || after == ':');
  }

  // Kotlin: "$name", but not "\\$name".
  bool is_behind_dollar(std::size_t begin) const {
    return begin > 0 && text_[begin - 1] == '$' && (begin < 2 || text_[begin - 2] != '\\');
  }

  const ScopeTypes& types_;
  std::string_view text_;
  std::string_view name_;
};

}  // namespace

void read_text_place(const ScopeTypes& types, std::string_view text, std::string_view name,
                     std::size_t index, NamePlace& place) {
  TextReader(types, text, name).read(place, index);
}

}  // namespace redraft
