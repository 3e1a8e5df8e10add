#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lsp/status/now.h"
#include "lsp/status/usage.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft::lsp {

// Counts what the user accepted and changed back within ten seconds. Main thread.
class TakenBack {
 public:
  TakenBack(Usage& usage, Now now) : usage_(usage), now_(std::move(now)) {}

  // These edits of `before` were accepted, and have been or will be made; `now` is the latest known
  // document. If it becomes `before` again in time, `count` is incremented.
  struct Count {
    UsageEvent event;
    std::int64_t times = 1;
  };
  void watch(Count count, std::shared_ptr<const Document> before, std::vector<TextEdit> edits,
             const Document& now);
  // A document changed to `now`.
  void changed(const Document& now);

 private:
  struct Watched {
    Count count;
    std::shared_ptr<const Document> before;
    std::vector<TextEdit> edits;
    Instant until;
    bool made = false;  // the edits have been made in the document

    bool is_made_in(const Document& now) const;
    bool is_undone_in(const Document& now) const;
  };

  void forget_what_is_over();

  Usage& usage_;
  Now now_;
  std::deque<Watched> watched_;
};

}  // namespace redraft::lsp
