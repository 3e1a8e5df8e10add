#include "decoding/model/model_files.h"

#include <utility>

#include "decoding/model/adapter.h"
#include "decoding/model/draft_head_files.h"
#include "decoding/model/huggingface_model.h"
#include "support/system/fault_handler.h"

namespace redraft {

namespace {

Result<std::unique_ptr<const ModelFiles>> open_base(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return open_huggingface_model(path);
  Result<GgufFile> file = GgufFile::open(path);
  if (!file) return file.error();
  return gguf_model(std::move(*file));
}

// A model and its draft head.
class HeadedModel : public ModelFiles {
 public:
  HeadedModel(std::unique_ptr<const ModelFiles> base, DraftHeadFiles head)
      : base_(std::move(base)), head_(std::move(head)) {}

  const std::string& path() const override { return base_->path(); }
  std::string name() const override { return base_->name(); }
  Result<TransformerShape> shape() const override { return base_->shape(); }
  Result<TokenizerSpec> tokenizer_spec() const override { return base_->tokenizer_spec(); }
  const StoredTensor* find_tensor(std::string_view role) const override {
    return base_->find_tensor(role);
  }
  const LowRankDelta* find_delta(std::string_view role) const override {
    return base_->find_delta(role);
  }
  const DraftHeadFiles* draft_head() const override { return &head_; }
  Error tensor_error(std::string_view role, std::string_view reason) const override {
    return base_->tensor_error(role, reason);
  }
  void release_pages() const override { base_->release_pages(); }

 private:
  std::unique_ptr<const ModelFiles> base_;
  DraftHeadFiles head_;
};

Result<std::unique_ptr<const ModelFiles>> with_head(std::unique_ptr<const ModelFiles> base,
                                                    const std::filesystem::path& folder) {
  const Result<TransformerShape> shape = base->shape();
  if (!shape) return shape.error();
  Result<DraftHeadFiles> head = DraftHeadFiles::open(folder);
  if (!head) return head.error();
  if (Result<void> fits = head->check_fits(*shape, base->path()); !fits) return fits.error();
  return std::unique_ptr<const ModelFiles>(
      std::make_unique<HeadedModel>(std::move(base), std::move(*head)));
}

}  // namespace

Result<std::unique_ptr<const ModelFiles>> open_model_files(const ModelLocation& location) {
  handle_faults();  // the files may become shorter while they are read
  Result<std::unique_ptr<const ModelFiles>> base = open_base(location.file);
  if (base && !location.adapter.empty()) base = with_adapter(std::move(*base), location.adapter);
  if (base && !location.head.empty()) base = with_head(std::move(*base), location.head);
  return base;
}

}  // namespace redraft
