#include "decoding/model/tokenizer_loader.h"

#include <utility>

#include "decoding/model/model_stamp.h"
#include "support/files/guarded_pages.h"

namespace redraft {

Result<std::shared_ptr<const Tokenizer>> make_tokenizer(const ModelFiles& files) {
  Result<TokenizerSpec> spec = files.tokenizer_spec();
  if (!spec) return spec.error();
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
