// redraft cache: keys and values that earlier edits left on disk.
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include "cli/common/command.h"
#include "cli/common/report.h"
#include "decoding/kv_archive.h"

namespace redraft::cli {
namespace {

struct CacheOptions {
  bool clear = false;
  std::string forget;
  Format format = Format::kText;
};

std::string local_time(std::time_t time) {
  std::tm parts{};
  char text[32];
  if (::localtime_r(&time, &parts) == nullptr ||
      std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts) == 0)
    return "?";
  return text;
}

int list(const std::filesystem::path& folder, Format format) {
  const std::vector<KvArchive::Listed> entries = KvArchive::list(folder);
  std::uint64_t bytes = 0;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const KvArchive::Listed& entry : entries) {
    bytes += entry.bytes;
    json.push_back({{"source", entry.source},
                    {"tokens", entry.tokens},
                    {"bytes", entry.bytes},
                    {"used", entry.used},
                    {"file", entry.file.string()}});
  }
  if (format == Format::kJson) {
    std::cout << dump({{"folder", folder.string()}, {"bytes", bytes}, {"entries", json}})
              << std::endl;
    return kSuccess;
  }
  std::printf("in %s: %zu entries, %.0f MB\n", folder.c_str(), entries.size(),
              static_cast<double>(bytes) / 1e6);
  for (const KvArchive::Listed& entry : entries) {
    std::printf("%s %6d tokens %6.0f MB  %s\n", local_time(entry.used).c_str(), entry.tokens,
                static_cast<double>(entry.bytes) / 1e6, entry.source.c_str());
  }
  return kSuccess;
}

int run_cache(const CacheOptions& options) {
  const std::filesystem::path folder = KvArchive::default_folder();
  if (folder.empty())
    return fail(Error("there is no cache folder: neither XDG_CACHE_HOME nor HOME is set"));
  if (!options.clear && options.forget.empty()) return list(folder, options.format);
  const int removed =
      options.clear ? KvArchive::clear(folder) : KvArchive::forget(folder, options.forget);
  std::cout << (removed == 1 ? "1 entry" : std::to_string(removed) + " entries") << " erased"
            << std::endl;
  return kSuccess;
}

}  // namespace

void add_cache(CommandLine app, Command& chosen) {
  const CommandLine cache =
      app.add_subcommand("cache", "List or erase what edits have cached on disk");
  const auto options = std::make_shared<CacheOptions>();
  const Option clear = cache.add_flag("--clear", options->clear, "Erase the whole cache");
  const Option forget =
      cache.add_option("--forget", options->forget, "Erase the entries of files in this folder")
          .type_name("DIR")
          .excludes(clear);
  cache.add_option("--format", options->format, "Output format")
      .transform(text_or_json())
      .excludes(clear)
      .excludes(forget);
  cache.callback([&chosen, options] { chosen = [options] { return run_cache(*options); }; });
}

}  // namespace redraft::cli
