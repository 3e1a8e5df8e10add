#include "decoding/model/tokenizer_loader.h"

#include <string>
#include <utility>

#include "decoding/model/model_stamp.h"
#include "support/files/guarded_pages.h"

namespace redraft {

namespace {

std::string spelling_of(TokenId id, const TokenizerSpec& spec) {
  const auto index = static_cast<std::size_t>(id);
  return id >= 0 && index < spec.tokens.size() ? spec.tokens[index] : std::string();
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> make_tokenizer(const ModelFiles& files,
                                                        const LoadControl& control) {
  Result<TokenizerSpec> spec = files.tokenizer_spec();
  if (!spec) return spec.error();
  if (!spec->chat_template.empty() && !knows_chat_template(spec->chat_template)) {
    if (control.chat_renderer) {
      spec->chat_renderer =
          control.chat_renderer({.source = spec->chat_template,
                                 .begin_of_text = spelling_of(spec->bos, *spec),
                                 .end_of_text = spelling_of(spec->end_of_text, *spec),
                                 .model = files.path()},
                                control.notice);
    } else if (control.notice) {
      control.notice(
          files.path() +
          ": The model's chat template is not used, because this program cannot run it.");
    }
  }
  Result<std::shared_ptr<const Tokenizer>> tokenizer = Tokenizer::make(std::move(*spec));
  if (!tokenizer) return tokenizer.error().in(files.path());
  return tokenizer;
}

Result<std::shared_ptr<const Tokenizer>> load_tokenizer(const std::filesystem::path& path) {
  const ModelLocation location(path);
  const ModelStamp stamp = ModelStamp::settled(location);
  const std::uint64_t lost = lost_pages();
  const Result<std::unique_ptr<const ModelFiles>> files = open_model_files(location);
  Result<std::shared_ptr<const Tokenizer>> tokenizer =
      files ? make_tokenizer(**files) : files.error();
  if (const Result<void> read = check_read_as_stamped(location, stamp, lost); !read)
    return read.error();
  return tokenizer;
}

}  // namespace redraft
