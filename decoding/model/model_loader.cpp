#include "decoding/model/model_loader.h"

#include <exception>
#include <future>
#include <system_error>
#include <utility>

#include "decoding/kernels/linear.h"
#include "decoding/model/model_files.h"
#include "decoding/model/tokenizer_loader.h"
#include "decoding/model/transformer.h"
#include "decoding/model/transformer_shape.h"
#include "decoding/model_failure.h"
#include "support/files/guarded_pages.h"
#include "support/named_thread.h"

namespace redraft {

namespace {

using TokenizerResult = Result<std::shared_ptr<const Tokenizer>>;

TokenizerResult make_fitting_tokenizer(const ModelFiles& files, const TransformerShape& shape,
                                       const LoadControl& control) {
  TokenizerResult tokenizer = make_tokenizer(files, control);
  if (!tokenizer || (*tokenizer)->vocabulary_size() <= shape.vocabulary) return tokenizer;
  return Error(files.path() + ": its tokenizer has " +
               std::to_string((*tokenizer)->vocabulary_size()) + " tokens, its embedding only " +
               std::to_string(shape.vocabulary));
}

Result<std::unique_ptr<LanguageModel>> make_for_cpu(std::shared_ptr<const ModelFiles> files,
                                                    ThreadPool& pool, const LoadControl& control) {
  return load_transformer(std::move(files), kernels::best_isa(), pool, control);
}

Result<LoadedModel> read_model(const ModelLocation& location, ThreadPool& pool,
                               const LoadControl& control, const TransformerMaker& make) {
  Result<std::unique_ptr<const ModelFiles>> opened = open_model_files(location);
  if (!opened) return opened.error();
  const std::shared_ptr<const ModelFiles> files = std::move(*opened);
  // Whether the architecture is supported is checked first: that explains more than whatever else
  // cannot be read.
  const Result<TransformerShape> shape = files->shape();
  if (!shape) return shape.error();
  // The tokenizer takes about as long as a third of the weights, so it is built in parallel with
  // them. If it fails, the rest is stopped.
  std::stop_source stop;
  const std::stop_callback stopped(control.stop, [&] { stop.request_stop(); });
  std::future<TokenizerResult> tokenizer = run_named("redraft-tokens", [&] {
    TokenizerResult result = make_fitting_tokenizer(*files, *shape, control);
    if (!result) stop.request_stop();
    return result;
  });
  LoadControl own = control;
  own.stop = stop.get_token();
  Result<std::unique_ptr<LanguageModel>> model =
      make ? make(files, pool, own) : make_for_cpu(files, pool, own);
  TokenizerResult made = tokenizer.get();
  if (!made) return made.error();
  if (!model) return model.error();
  LoadedModel loaded{.name = (*model)->name(),
                     .architecture = std::string(shape->architecture->name),
                     .location = location,
                     .stamp = {},
                     .model = std::move(*model),
                     .tokenizer = std::move(*made)};
  return loaded;
}

Result<LoadedModel> load_checked(const ModelLocation& location, ThreadPool& pool,
                                 const LoadControl& control, const TransformerMaker& make) {
  const ModelStamp stamp = ModelStamp::settled(location, control.stop);
  const std::uint64_t lost = lost_pages();
  Result<LoadedModel> loaded = read_model(location, pool, control, make);
  if (control.stop.stop_requested()) return loaded;
  // What is wrong with a file that is being written is of no interest.
  if (const Result<void> as_stamped = check_read_as_stamped(location, stamp, lost); !as_stamped)
    return as_stamped.error();
  if (loaded) loaded->stamp = stamp;
  return loaded;
}

}  // namespace

Result<LoadedModel> load_model(const ModelLocation& location, ThreadPool& pool,
                               const LoadControl& control, const TransformerMaker& make) {
  // torch reports a failed allocation by throwing, the standard library whatever the system
  // refuses.
  try {
    return load_checked(location, pool, control, make);
  } catch (const ModelFailure&) {  // of the device that `make` loads for
    throw;
  } catch (const std::system_error& error) {
    return Error(location.file.string() + ": " + error.what());
  } catch (const std::exception&) {
    return Error(location.file.string() + ": not enough memory for its weights");
  }
}

}  // namespace redraft
