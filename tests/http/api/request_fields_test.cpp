// Properties of all fields together: docs/http.md lists exactly those that are read, and whatever
// value one has, the answer is a request within the limits or an error that names the field.
#include "http/api/request_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "http/api/read_generation.h"

namespace redraft::http {
namespace {

constexpr Interface kInterfaces[] = {Interface::kChat, Interface::kCompletions, Interface::kInfill};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

void add_matches(const std::string& text, const char* pattern, std::set<std::string>& found) {
  const std::regex regex(pattern);
  for (std::sregex_iterator each(text.begin(), text.end(), regex), end; each != end; ++each)
    found.insert((*each)[1]);
}

// The names in the first column of the document's tables of fields.
std::set<std::string> documented_fields() {
  const std::string text = text_of(std::filesystem::path(REDRAFT_SOURCE) / "docs/http.md");
  const std::size_t begin = text.find("\n## Fields");
  std::istringstream lines(text.substr(begin, text.find("\n## Clients") - begin));
  std::set<std::string> fields;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    add_matches(line.substr(0, line.find(" | ")), "`([a-z_]+)(?:\\.[a-z_]+)?`", fields);
  }
  return fields;
}

// Every word in quotes in the sources that read requests: all names of fields, and other words.
std::set<std::string> words_in_the_sources() {
  std::set<std::string> words;
  for (const char* file : {"read_generation.cpp", "sampling_fields.cpp"}) {
    add_matches(text_of(std::filesystem::path(REDRAFT_SOURCE) / "http/api" / file), "\"([a-z_]+)\"",
                words);
  }
  return words;
}

const Json kHostile = {nullptr,
                       true,
                       false,
                       0,
                       1,
                       -1,
                       -2,
                       0.5,
                       -0.0,
                       5e-324,
                       -1e300,
                       1e300,
                       std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max(),
                       std::numeric_limits<std::uint64_t>::max(),
                       "",
                       "a",
                       "auto",
                       "none",
                       "\n",
                       std::string("a\0b", 3),
                       std::string(5000, 'x'),
                       "\U0001F642",
                       Json::array(),
                       {1},
                       {"a"},
                       {nullptr},
                       {{{"a", 1}}},
                       std::vector<std::string>(10000, "a"),
                       Json::object(),
                       {{"type", "text"}},
                       {{"include_usage", 1}}};

Json request_for(Interface interface) {
  switch (interface) {
    case Interface::kChat:
      return {{"messages", Json::array({{{"role", "user"}, {"content", "hi"}}})}};
    case Interface::kCompletions:
      return {{"prompt", "a"}};
    case Interface::kInfill:
      break;
  }
  return Json::object();
}

void expect_within_limits(const Generation& read) {
  EXPECT_TRUE(check(read.sampling)) << check(read.sampling).error().message();
  EXPECT_LE(read.stops.size(), kMaxStops);
  EXPECT_THAT(read.stops, testing::Not(testing::Contains("")));
  EXPECT_GE(read.max_tokens.value_or(0), 0);
  EXPECT_GE(read.min_indent, 0);
  EXPECT_GT(read.time_limit.value_or(std::chrono::milliseconds(1)).count(), 0);
  EXPECT_LE(read.log_probabilities.value_or(0), kMaxLikeliest);
  EXPECT_GE(read.log_probabilities.value_or(0), 0);
}

// Whether `name` is a field of the interface.
bool is_known(Interface interface, const std::string& name) {
  for (const Json& value : kHostile) {
    if (value.is_null()) continue;
    Json body = request_for(interface);
    body[name] = value;
    const auto read = read_generation(interface, body.dump());
    const auto* error = std::get_if<ApiError>(&read);
    if (error == nullptr || error->code != "unsupported_parameter") return true;
  }
  return false;
}

TEST(RequestFields, TheDocumentListsThoseThatAreRead) {
  const std::set<std::string> documented = documented_fields();
  EXPECT_GT(documented.size(), 70U);
  std::set<std::string> candidates = documented;
  candidates.merge(words_in_the_sources());
  for (const std::string& name : candidates) {
    bool known = false;
    for (const Interface interface : kInterfaces) known = known || is_known(interface, name);
    EXPECT_EQ(known, documented.contains(name)) << name;
  }
}

TEST(RequestFields, AnyValueIsReadWithinLimitsOrRefusedByName) {
  for (const Interface interface : kInterfaces) {
    for (const std::string& name : documented_fields()) {
      for (const Json& value : kHostile) {
        for (const double temperature : {0.0, 0.7}) {
          Json body = request_for(interface);
          body["temperature"] = temperature;
          body[name] = value;
          SCOPED_TRACE(name + " = " + value.dump().substr(0, 80));
          const auto read = read_generation(interface, body.dump());
          if (const auto* error = std::get_if<ApiError>(&read)) {
            EXPECT_EQ(error->status, 400);
            EXPECT_THAT(error->message, testing::HasSubstr("'" + name));
            EXPECT_TRUE(error->field.starts_with(name)) << error->field;
            EXPECT_LT(error->message.size(), 300U);
          } else {
            expect_within_limits(std::get<Generation>(read));
          }
        }
      }
    }
  }
}

TEST(RequestFields, NumbersThatJsonDoesNotHaveAreRefused) {
  for (const char* number : {"NaN", "-NaN", "Infinity", "-Infinity", "1e999", "-1e999", "0x10",
                             "01", "1.", "+1", "1e", "--1"}) {
    for (const char* field : {"temperature", "top_k", "min_p", "n_predict", "mirostat", "stop"}) {
      const std::string body = R"({"prompt": "a", ")" + std::string(field) + "\": " + number + "}";
      const auto read = read_generation(Interface::kCompletions, body);
      const auto* error = std::get_if<ApiError>(&read);
      ASSERT_NE(error, nullptr) << body;
      EXPECT_EQ(error->status, 400);
      EXPECT_THAT(error->message, testing::HasSubstr("malformed JSON")) << body;
    }
  }
}

}  // namespace
}  // namespace redraft::http
