#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/result.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/edit_result.h"
#include "workspace/edit/edit_retry.h"
#include "workspace/edit/prompt.h"
#include "workspace/engine/engine.h"

namespace redraft {

class HunkStream;

// Lets the model write one region, or several parts of a file one after the other, and turns its
// output into hunks. For one edit. On the decode thread; everything it refers to outlives it.
class EditRun {
 public:
  EditRun(Engine& engine, const EditRequest& request, const std::string& instruction,
          std::size_t context_bytes, const EditObserver& observer, std::stop_token stop);
  ~EditRun();

  Result<EditResult> whole(const EditRegion& region, EditPrompt prompt, int budget);
  // The parts are in file order, each with its own prompt and its share of the work. The edit ends
  // at the first part that is cut short. The differ sees adjacent parts as one text, so the hunks
  // do not depend on where the file is divided.
  Result<EditResult> in_parts(const std::vector<EditRegion>& parts,
                              const std::vector<double>& work);

  // whole() writes this retry, from 1, instead of the first answer.
  void retry(int retry_index) { branching_ = retry_index; }
  // whole() writes the first answer with another name in that place.
  void replace_name(UnknownNamePlace name) { branching_ = std::move(name); }
  // Adds what was spent before this run.
  void add(const DecodeStatistics& statistics) { statistics_ += statistics; }

 private:
  // Where whole() leaves the first answer: nowhere, at a retry's branch, or at a name.
  using Branching = std::variant<std::monostate, int, UnknownNamePlace>;
  struct Part;
  struct Beginning {
    std::optional<FinishReason> end;  // why the answer ends with it; nullopt: it goes on
  };

  Result<FinishReason> write_part(const EditRegion& part, double from, double to);
  Result<FinishReason> write(const EditRegion& region, double from, double to, EditPrompt prompt,
                             int budget);
  void report(const Part& part, const DecodeStatistics& statistics);
  // Writes the beginning of an answer that branches off the first one, and changes `decode` so that
  // it continues from there.
  Result<Beginning> begin_branch(DecodeRequest& decode, const EditPrompt& prompt);
  Result<Cancellable<std::vector<TokenId>>> first_answer(const DecodeRequest& decode,
                                                         const EditPrompt& prompt);
  Result<Cancellable<Branch>> find_branch(const DecodeRequest& decode, const FirstAnswer& answer);
  void begin_text(EditRegion text);
  void end_text();
  EditResult result(FinishReason reason, ByteRange region, const std::vector<ByteRange>& regions);

  Engine& engine_;
  const EditRequest& request_;
  const std::string& instruction_;
  std::size_t context_bytes_;
  const EditObserver& observer_;
  std::stop_token stop_;
  Branching branching_;
  std::optional<EditRegion> text_;  // the adjacent lines that are being written
  int n_texts_ = 0;
  std::unique_ptr<HunkStream> stream_;
  std::vector<Hunk> hunks_;
  std::string raw_;
  std::optional<std::size_t> code_begin_;  // in raw_, of the first part
  DecodeStatistics statistics_;            // of the decodes that have ended
  LinesPassed lines_;                      // in the parts that are done
  int n_written_ = 0;                      // tokens
};

}  // namespace redraft
