#pragma once

#include <string>
#include <vector>

namespace redraft::cli {

// A feature of the user's environment that redraft relies on, and what is lost without it.
struct Surrounding {
  std::string name;   // short, in one word
  std::string state;  // a sentence for the user
  bool sound = true;
};

// Whether redraft can write to the user's folders, share a server, and receive file changes from
// the system. Creates missing folders, and in each a file, which it removes at once.
std::vector<Surrounding> surroundings();

}  // namespace redraft::cli
