#pragma once

#include <string>
#include <vector>

namespace redraft::cli {

// One thing of the user's surroundings that redraft relies on, and what is lost where it fails.
struct Surrounding {
  std::string name;   // short, in one word
  std::string state;  // a sentence for the user
  bool sound = true;
};

// Whether redraft can keep what it keeps in the user's folders, share a server, and be told of
// changes of files. Creates the folders where they are missing, and a file in each, which it
// removes at once.
std::vector<Surrounding> surroundings();

}  // namespace redraft::cli
