#pragma once

#include <functional>
#include <memory>
#include <string>

#include "decoding/device.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/language_model.h"
#include "decoding/load_control.h"
#include "decoding/model/model_files.h"
#include "decoding/model/model_location.h"
#include "decoding/model/model_stamp.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

struct LoadedModel {
  std::string name;  // general.name, or the file's
  std::string architecture;
  ModelLocation location;
  ModelStamp stamp;  // of the files, as they were read
  Device device = Device::cpu();
  std::unique_ptr<LanguageModel> model;
  std::shared_ptr<const Tokenizer> tokenizer;
};

// Makes a LanguageModel from opened files, for one device.
using TransformerMaker = std::function<Result<std::unique_ptr<LanguageModel>>(
    std::shared_ptr<const ModelFiles>, ThreadPool&, const LoadControl&)>;

// Maps, checks and repacks a GGUF file or a Hugging Face folder, with an adapter merged. `pool`
// outlives the model. Nothing of the files is needed afterwards. Files that change meanwhile are an
// error, never a mixture. Without `make` it runs on the CPU. Every error names the file, the tensor
// or key, and the reason; an error leaves nothing behind. Throws the ModelFailure that `make`
// throws.
Result<LoadedModel> load_model(const ModelLocation& location, ThreadPool& pool,
                               const LoadControl& control = {}, const TransformerMaker& make = {});

}  // namespace redraft
