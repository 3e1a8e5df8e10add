#pragma once

#include <map>
#include <string>

#include "bench/task.h"
#include "support/result.h"
#include "workspace/edit/edit_doubts.h"

namespace redraft {

// What redraft doubts in a change that a programmer made, as if a model had written it on the
// task's instruction.
struct DoubtedChange {
  std::string id;
  std::string language;
  int hunks = 0;
  int left = 0;  // hunks that "accept all" would leave
  std::vector<Doubt> doubts;

  bool is_doubted() const { return left > 0; }
};

// The error is the reason to leave the task out: it has no text after the change, no whole file, or
// one of a language without a syntax tree.
Result<DoubtedChange> doubted_change(const BenchTask& task);

// "lost": the name of a kind in tables.
const char* to_string(Doubt::Kind kind);

// A table of changes and doubts by language, and of doubts by kind.
class DoubtTable {
 public:
  void add(const DoubtedChange& change);
  std::string text() const;

 private:
  struct Row {
    int changes = 0, doubted = 0, hunks = 0, left = 0;
    void add(const DoubtedChange& change);
    std::string text(const std::string& name) const;
  };

  std::map<std::string, Row> languages_;
  std::map<std::string, int> kinds_;  // changes with a doubt of the kind
  Row all_;
};

}  // namespace redraft
