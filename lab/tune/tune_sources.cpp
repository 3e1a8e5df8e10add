#include "lab/tune/tune_sources.h"

#include <iostream>

#include "tuning/data/excluded_texts.h"

namespace redraft::cli {
namespace {

void warn(const std::string& text) { std::cerr << "redraft: warning: " << text << std::endl; }

}  // namespace

std::optional<std::string> allowed_licence(bool own, const std::string& name,
                                           const Result<std::vector<NamedText>>& files) {
  if (own) return "";
  const Result<std::string> licence =
      files ? project_licence(*files) : Result<std::string>(files.error());
  if (licence) return *licence;
  warn(name + " is left out: " + licence.error().message() +
       ". Of code that is yours say --licence-of-my-own");
  return std::nullopt;
}

Result<void> exclude_texts(const std::vector<std::string>& folders, SimilarTexts& texts) {
  for (const std::string& folder : folders) {
    const Result<ExcludedFolder> added = add_texts_of(folder, texts);
    if (!added) return added.error().in("--exclude");
    if (added->files == 0) return Error("--exclude " + folder + ": has no texts");
    for (const std::string& other : added->others)
      warn("--exclude " + folder + ": " + other + " is no text, so nothing in it is kept out");
  }
  return {};
}

}  // namespace redraft::cli
