#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

// The SPDX identifiers whose terms allow training on the code and passing examples on: permissive
// licences that ask for no more than notices.
const std::vector<std::string_view>& permissive_licences();

// Whether an SPDX expression ("MIT OR Apache-2.0") allows it: with OR one side has to be
// permissive, with AND both; anything else that is not on the list (WITH an exception,
// LicenseRef-…) does not.
bool is_permissive(std::string_view expression);

// The SPDX identifier of a licence's text: found by the sentences that make it that licence, and
// only if the text is not much longer than they are, so that clauses that somebody added
// ("… may not be used as training data") or other licences behind it are not overlooked.
std::optional<std::string> licence_of_text(std::string_view text);

// Whether a file of this name, at the top of a project, holds its licence, or says which it is.
bool is_licence_file(std::string_view name);
bool is_package_metadata(std::string_view name);

// The licence that package metadata states (pyproject.toml, setup.cfg, package.json, Cargo.toml).
std::optional<std::string> licence_of_metadata(std::string_view name, std::string_view text);

// "SPDX-License-Identifier: …" in the first lines of a source file.
std::optional<std::string> licence_of_source(std::string_view text);

struct NamedText {
  std::string name;
  std::string text;
};

// The licence of a project by the files at its top. An error says why it is not used: no licence,
// one that is not recognised, or one that is not permissive. Each file that states a licence has to
// allow it; metadata counts only if no licence file is there.
Result<std::string> project_licence(const std::vector<NamedText>& files);

}  // namespace redraft
