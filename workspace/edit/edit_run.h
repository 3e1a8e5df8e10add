#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "workspace/edit/edit_session.h"

namespace redraft {

// How many seconds the model may spend on reading the file around a region: while the user waits
// for the edit, and before that, while the user types the instruction.
inline constexpr double kContextSeconds = 1;
inline constexpr double kReadAheadSeconds = 5;

// Whether places in the file are edited, not all lines of the request's scope.
bool edits_places(Engine& engine, const EditRequest& request);

// PromptForm::overview_bytes: the same in every prompt for a file.
std::size_t overview_bytes(Engine& engine, std::size_t context_bytes);

// `faulty` may be null.
Result<EditPrompt> prompt_of(Engine& engine, const EditRequest& request, const EditRegion& region,
                             std::size_t context_bytes, const FaultyAnswer* faulty = nullptr);

// The result is these edits of the document instead: hunks, text and doubts.
void set_edits(const EditRequest& request, const std::vector<TextEdit>& edits, EditResult& result);

class HunkStream;

// What one request is made of: the region as a whole, or parts of the file one after the other.
class EditRun {
 public:
  EditRun(Engine& engine, const EditRequest& request, std::size_t context_bytes,
          const EditObserver& observer, std::stop_token stop);
  ~EditRun();

  Result<EditResult> whole(const EditRegion& region, EditPrompt prompt, int budget);
  // In file order, each with a prompt of its own and its share of the work; where one is cut short
  // the edit ends. What the model writes of parts that follow each other is one text to the
  // differ, so that hunks are the same wherever lines are cut.
  Result<EditResult> in_parts(const std::vector<EditRegion>& parts,
                              const std::vector<double>& work);
  // With EditRequest::another: the answer goes another way at `place` of the document, which the
  // first answer has not changed. In place of the name there it has one of those in `known`.
  void write_other_name(ByteRange place, std::string known) {
    other_name_ = OtherName{place, std::move(known)};
  }
  // What was spent before it.
  void add(const DecodeStatistics& statistics) { statistics_ += statistics; }

 private:
  struct OtherName {
    ByteRange place;
    std::string known;
  };
  struct OtherWay {
    std::size_t at;               // token of the answer
    std::vector<TokenId> tokens;  // there
  };

  Result<FinishReason> write(const EditRegion& part, double from, double to, EditPrompt prompt,
                             int budget);
  // With EditRequest::another: writes the beginning of that answer, and lets `decode` go on from
  // there. With a value the edit has ended.
  Result<std::optional<FinishReason>> begin_other_answer(DecodeRequest& decode,
                                                         const std::string& fence);
  // Where the first answer is left, and for which token. Nothing: it was stopped.
  Result<std::optional<OtherWay>> other_way(const DecodeRequest& decode,
                                            const std::vector<TokenId>& answer,
                                            const std::string& fence);
  Result<OtherWay> way_to_other_name(const DecodeRequest& decode,
                                     const std::vector<TokenId>& answer);
  Result<FinishReason> write_part(const EditRegion& part, double from, double to);
  void begin_text(EditRegion text);
  void end_text();
  EditResult result(FinishReason reason, ByteRange region);
  // What the prompt for these lines may not show of the file.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> rest_of_file(const EditRegion& part);

  Engine& engine_;
  const EditRequest& request_;
  std::size_t context_bytes_;
  const EditObserver& observer_;
  std::stop_token stop_;
  std::optional<OtherName> other_name_;
  std::optional<EditRegion> text_;  // lines that follow each other, which are written now
  std::unique_ptr<HunkStream> stream_;
  std::vector<Hunk> hunks_;
  std::string raw_;
  DecodeStatistics statistics_;  // of what is done
  LinesPassed lines_;            // in the parts that are done
  int n_written_ = 0;            // tokens
};

}  // namespace redraft
