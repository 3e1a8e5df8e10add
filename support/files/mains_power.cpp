#include "support/files/mains_power.h"

#include <fstream>
#include <string>
#include <system_error>

namespace redraft {
namespace {

std::string first_word(const std::filesystem::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

}  // namespace

bool on_mains_power(const std::filesystem::path& supplies) {
  bool has_battery = false;
  std::error_code error;
  for (std::filesystem::directory_iterator each(supplies, error), end; !error && each != end;
       each.increment(error)) {
    const std::string type = first_word(each->path() / "type");
    if (type == "Battery" && first_word(each->path() / "status") == "Discharging")
      has_battery = true;
    else if (type != "Battery" && first_word(each->path() / "online") == "1")
      return true;
  }
  return !has_battery;
}

}  // namespace redraft
