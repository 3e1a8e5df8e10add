#include "workspace/documents/document.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "languages/languages.h"
#include "support/system_error.h"
#include "support/utf8/utf8.h"

namespace redraft {
namespace {

std::string hex(char byte) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "0x%02X", static_cast<unsigned char>(byte));
  return text.data();
}

std::string megabytes(std::uintmax_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

Error too_large(std::uintmax_t bytes) {
  return Error("too large to edit: " + megabytes(bytes) + ", the limit is " +
               megabytes(kMaxDocumentBytes));
}

// The byte offset, and the line number for a user with an editor.
std::string place(std::string_view text, std::size_t offset) {
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  return "at byte " + std::to_string(offset) + " (line " + std::to_string(line) + ")";
}

Result<void> check_text(std::string_view text) {
  if (text.size() > kMaxDocumentBytes) return too_large(text.size());
  const std::string_view start = text.substr(0, 2);
  if (start == "\xFF\xFE" || start == "\xFE\xFF") {
    return Error("UTF-16 according to its byte order mark: save it as UTF-8 to edit it");
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return Error("a binary file: it has a NUL byte " + place(text, nul));
  }
  if (const std::optional<std::size_t> invalid = first_invalid_utf8(text)) {
    return Error("not UTF-8: byte " + hex(text[*invalid]) + " " + place(text, *invalid) +
                 "; convert the file to UTF-8 to edit it");
  }
  return {};
}

Result<std::string> read_regular_file(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    if (status.type() == std::filesystem::file_type::not_found) return Error("no such file");
    return Error("cannot be read: " + error.message());
  }
  if (std::filesystem::is_directory(status)) return Error("a directory, not a file");
  if (!std::filesystem::is_regular_file(status)) return Error("not a regular file");
  if (const std::uintmax_t size = std::filesystem::file_size(file, error);
      !error && size > kMaxDocumentBytes) {
    return too_large(size);
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return system_error("cannot be read");
  std::ostringstream bytes;
  if (stream.peek() != std::ifstream::traits_type::eof()) bytes << stream.rdbuf();
  if (stream.bad() || bytes.bad()) return system_error("cannot be read");
  return std::move(bytes).str();
}

}  // namespace

LineIndex::LineIndex(const std::string& text) : starts_{0}, size_(text.size()) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n' && text[i] != '\r') continue;
    content_ends_.push_back(i);
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
    starts_.push_back(i + 1);
  }
  content_ends_.push_back(text.size());
}

std::size_t LineIndex::start(int line) const {
  assert(line >= 0 && line <= line_count());
  return line == line_count() ? size_ : starts_[line];
}

std::size_t LineIndex::content_end(int line) const {
  assert(line >= 0 && line < line_count());
  return content_ends_[line];
}

int LineIndex::line_of(std::size_t offset) const {
  assert(offset <= size_);
  return static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), offset) -
                          starts_.begin()) -
         1;
}

Document::Document(std::string uri, std::int64_t version, std::string text, std::string language_id)
    : uri_(std::move(uri)),
      version_(version),
      text_(std::make_shared<const std::string>(std::move(text))),
      language_id_(std::move(language_id)),
      lines_(*text_) {}

Result<std::shared_ptr<const Document>> Document::make(std::string uri, std::int64_t version,
                                                       std::string text, std::string language_id) {
  if (Result<void> checked = check_text(text); !checked) return checked.error().in(uri);
  return std::shared_ptr<const Document>(
      new Document(std::move(uri), version, std::move(text), std::move(language_id)));
}

Result<std::shared_ptr<const Document>> Document::read(const std::filesystem::path& file) {
  Result<std::string> text = read_regular_file(file);
  if (!text) return text.error().in(file.string());
  return make(file.string(), 0, std::move(*text), std::string(language_of(file.string())));
}

Result<std::shared_ptr<const Document>> Document::changed(std::int64_t version,
                                                          std::string text) const {
  Result<std::shared_ptr<const Document>> later =
      make(uri_, version, std::move(text), language_id_);
  if (!later) return later;
  // Changing a document must not wait for another thread that is parsing it.
  const std::unique_lock lock(syntax_mutex_, std::try_to_lock);
  if (lock) (*later)->syntax_ = syntax_;
  return later;
}

std::string Document::language() const {
  return language_id_.empty() ? std::string(language_of(uri_)) : language_id_;
}

const SyntaxTree* Document::syntax() const {
  const std::scoped_lock lock(syntax_mutex_);
  if (!parsed_) {
    syntax_ = syntax_ ? syntax_->edited(text_) : SyntaxTree::parse(text_, language_id_);
    parsed_ = true;
  }
  return syntax_ ? &*syntax_ : nullptr;
}

}  // namespace redraft
