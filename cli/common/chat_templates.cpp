#include "cli/common/chat_templates.h"

#include <algorithm>
#include <string_view>

#include "decoding/model/gguf.h"
#include "decoding/model/model_files.h"
#include "decoding/model/model_store.h"
#include "decoding/model/tokenizer_loader.h"
#include "support/system/processes.h"
#include "text/templates/confined_renderer.h"

namespace redraft::cli {

std::shared_ptr<TemplateHost> make_template_host() {
  return std::make_shared<TemplateHost>(
      std::vector<std::string>{executable().string(), kChatTemplatesCommand});
}

bool may_run_chat_template(const std::string& model) {
  constexpr std::string_view kKey = "tokenizer.chat_template";
  const Result<ModelLocation> location = locate_model(model);
  if (!location) {
    // One that `models pull` may fetch meanwhile; the known ones need none of this.
    return std::ranges::none_of(known_models(),
                                [&](const KnownModel& known) { return known.name == model; });
  }
  const Result<GgufFile> file = GgufFile::open(location->file);
  if (!file) return true;
  if (!file->has(kKey)) return false;
  const Result<std::string_view> chat_template = file->text(kKey);
  return chat_template && !knows_chat_template(*chat_template);
}

std::string state_of_chat_template(const std::string& model) {
  if (!may_run_chat_template(model)) return {};
  const Result<ModelLocation> location = locate_model(model);
  if (!location) return {};
  const Result<std::unique_ptr<const ModelFiles>> files = open_model_files(*location);
  if (!files) return {};
  std::string notice;
  const Result<std::shared_ptr<const Tokenizer>> tokenizer =
      make_tokenizer(**files, {.stop = {},
                               .progress = {},
                               .notice = [&](const std::string& text) { notice = text; },
                               .chat_renderer = confined_renderers(make_template_host())});
  if (!tokenizer || (*tokenizer)->chat_renderer() == nullptr) return {};
  const auto parts = chat_prompt(**tokenizer, {{"system", "Be brief."}, {"user", "Say yes."}});
  if (!parts) return parts.error().message();
  return notice.empty() ? "the model's own template, run in a confined process" : notice;
}

}  // namespace redraft::cli
