// A scanner that only knows where JSON strings, brackets and names begin and end. Its input is too
// long to parse, so the scanner keeps little and trusts nothing. An unmatched bracket or garbage
// leads to a wrong or empty outline. That does no harm: a short message could have said the same.
//
// `matched_` counts the brackets on the path to the document's URI:
//
//   {"method": "textDocument/didOpen", "params": {"textDocument": {"text": "…", "uri": "…"}}}
//   1                                            2                3
#include "lsp/wire/message_outline.h"

#include <array>

namespace redraft::lsp {
namespace {

// The names that lead from the message to the object that has the URI.
constexpr std::array<std::string_view, 3> kPath = {"", "params", "textDocument"};

std::string unescaped(const std::string& raw) {
  if (raw.find('\\') == std::string::npos) return raw;
  const Result<Json> value = parse_json('"' + raw + '"');
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace

void OutlineReader::append(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && !done_) {
    if (!in_string_) {
      take_outside_strings(bytes[at++]);
    } else if (escaped_) {
      keep(bytes.substr(at++, 1));
      escaped_ = false;
    } else {
      std::size_t end = at;
      while (end < bytes.size() && bytes[end] != '"' && bytes[end] != '\\') ++end;
      keep(bytes.substr(at, end - at));
      at = end;
      if (at == bytes.size()) return;
      if (bytes[at] == '"') {
        end_string();
      } else {
        keep(bytes.substr(at, 1));
        escaped_ = true;
      }
      ++at;
    }
  }
}

void OutlineReader::take_outside_strings(char c) {
  switch (c) {
    case '"':
      end_scalar();
      return begin_string();
    case '{':
    case '[':
      end_scalar();
      return open(c == '{');
    case '}':
    case ']':
      end_scalar();
      return close();
    case ',':
      end_scalar();
      expects_key_ = brackets_.ends_with('{');
      return;
    case ':':
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      return end_scalar();
    default:
      if (!in_scalar_) capture(place_of_value(), /*is_string=*/false);
      in_scalar_ = true;
      if (target_ != nullptr) keep({&c, 1});
  }
}

void OutlineReader::begin_string() {
  in_string_ = true;
  is_key_ = expects_key_;
  expects_key_ = false;
  if (is_key_) {
    capture(on_path() ? &key_ : nullptr, true);
  } else {
    capture(place_of_value(), true);
  }
}

void OutlineReader::end_string() {
  in_string_ = false;
  if (target_ != nullptr) target_->complete = true;
  target_ = nullptr;
  if (is_key_ && on_path()) take_key();
}

// If several members have the same name, the last one counts, as in the parser.
void OutlineReader::take_key() {
  key_.raw = key_.complete ? unescaped(key_.raw) : std::string();
  const std::string& name = key_.raw;
  if (matched_ == 1 && name == "id") id_ = {};
  if (matched_ == 1 && name == "method") method_ = {};
  const bool leads_on = matched_ < kPath.size() && name == kPath[matched_];
  if (leads_on || (matched_ == kPath.size() && name == "uri")) uri_ = {};
}

void OutlineReader::open(bool is_object) {
  const bool leads_on = is_object && on_path() && matched_ < kPath.size() &&
                        (matched_ == 0 || key_.raw == kPath[matched_]);
  if (brackets_.size() == static_cast<std::size_t>(kNestingLimit)) {
    id_ = method_ = uri_ = {};
    done_ = true;
    return;
  }
  brackets_ += is_object ? '{' : '[';
  if (leads_on) ++matched_;
  expects_key_ = is_object;
}

void OutlineReader::close() {
  if (on_path() && matched_ > 0) --matched_;
  if (!brackets_.empty()) brackets_.pop_back();
  expects_key_ = false;
  if (brackets_.empty()) done_ = true;
}

OutlineReader::Captured* OutlineReader::place_of_value() {
  if (!on_path()) return nullptr;
  if (matched_ == 1 && key_.raw == "id") return &id_;
  if (matched_ == 1 && key_.raw == "method") return &method_;
  if (matched_ == kPath.size() && key_.raw == "uri") return &uri_;
  return nullptr;
}

void OutlineReader::capture(Captured* target, bool is_string) {
  target_ = target;
  if (target_ != nullptr) *target_ = {.raw = {}, .is_string = is_string};
}

void OutlineReader::keep(std::string_view bytes) {
  if (target_ == nullptr) return;
  if (target_->raw.size() + bytes.size() > kMaxValueBytes) {
    *target_ = {};
    target_ = nullptr;
    return;
  }
  target_->raw += bytes;
}

void OutlineReader::end_scalar() {
  if (!in_scalar_) return;
  in_scalar_ = false;
  if (target_ != nullptr) target_->complete = true;
  target_ = nullptr;
}

MessageOutline OutlineReader::outline() const {
  const auto value_of = [](const Captured& captured) {
    if (!captured.complete) return Json();
    const Result<Json> value =
        parse_json(captured.is_string ? '"' + captured.raw + '"' : captured.raw);
    return value ? *value : Json();
  };
  const auto text_of = [&](const Captured& captured) {
    const Json value = value_of(captured);
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  const Json id = value_of(id_);
  return {.id = id.is_number_integer() || id.is_string() ? id : Json(),
          .method = text_of(method_),
          .uri = text_of(uri_)};
}

}  // namespace redraft::lsp
