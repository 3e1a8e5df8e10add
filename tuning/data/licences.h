#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

// The SPDX identifiers of licences that allow training on the code and passing examples on:
// permissive licences that only require notices.
const std::vector<std::string_view>& permissive_licences();

// Whether an SPDX expression ("MIT OR Apache-2.0") allows that: with OR one side has to be
// permissive, with AND both. Anything else that is not on the list (WITH an exception,
// LicenseRef-…) does not.
bool is_permissive(std::string_view expression);

// The SPDX identifier of a licence's text, recognised by its characteristic sentences. The text
// must not be much longer than the licence, so that added clauses ("… may not be used as training
// data") and other licences after it are not overlooked.
std::optional<std::string> licence_of_text(std::string_view text);

// Whether a file of this name, at the top of a project, contains or names its licence.
bool is_licence_file(std::string_view name);
bool is_package_metadata(std::string_view name);

// The licence stated in package metadata (pyproject.toml, setup.cfg, package.json, Cargo.toml).
std::optional<std::string> licence_of_metadata(std::string_view name, std::string_view text);

// Finds "SPDX-License-Identifier: …" in the first lines of a source file.
std::optional<std::string> licence_of_source(std::string_view text);

struct NamedText {
  std::string name;
  std::string text;
};

// The licence of a project according to the files at its top. The error says why the project is not
// used: no licence, an unknown one, or one that is not permissive. Each file that states a licence
// has to allow it; metadata counts only if there is no licence file.
Result<std::string> project_licence(const std::vector<NamedText>& files);

}  // namespace redraft
