#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "decoding/device.h"
#include "support/result.h"
#include "workspace/apply/change_mismatch.h"
#include "workspace/documents/document.h"
#include "workspace/edit/edit_result.h"

namespace redraft::cli {

// The options of a command that changes a file: what it prints and writes.
struct EditOutput {
  std::string file;  // as the user named it; - is standard input
  Format format = Format::kDiff;
  bool write = false;
  bool yes = false;  // writes changes with a doubt, too

  // Whether hunks are shown on the terminal as they become final.
  bool shows_live() const;
  bool reads_standard_input() const { return file == "-"; }
  // An error if --write is given for standard input.
  Result<void> check() const;
  // The file, or standard input in this language. A file's name determines its language.
  Result<std::shared_ptr<const Document>> read(const std::string& language) const;
};

// Adds FILE, --language, --format, --write and --yes.
void add_edit_output(CommandLine command, EditOutput& output, std::string& language);

// A plain decode of the same request, as a baseline.
struct Comparison {
  EditResult plain;
  bool identical = false;
  double speedup = 0;
};

// The decoder and the model that wrote an edit.
struct Decoded {
  std::string decoder, target;
  Device device = Device::cpu();
  std::vector<Mismatch> mismatches =
      {};  // why the model was asked about another assistant's change
};

// Writes the file if that was requested and the edit is complete: the changes without a doubt, or
// all of them with --yes. Prints the edit, and on stderr its doubts, its figures and what was not
// written. `decoded` is empty if the edit needed no model. Returns the exit code.
int deliver(const EditOutput& output, const Document& document, const EditResult& result,
            const std::optional<Decoded>& decoded, const std::optional<Comparison>& comparison);

// Prints that nothing was written; returns the exit code.
int interrupted(const EditOutput& output);

}  // namespace redraft::cli
