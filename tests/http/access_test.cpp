#include "http/access.h"

#include <gtest/gtest.h>

namespace redraft::http {
namespace {

constexpr const char* kToken = "0123456789abcdef";

RequestHead good() {
  return {.method = "POST",
          .target = "/v1/completions",
          .hosts = {"127.0.0.1:8080"},
          .authorizations = {std::string("Bearer ") + kToken}};
}

int status(const RequestHead& head) {
  const std::optional<ApiError> error = refusal(head, kToken);
  return error ? error->status : 200;
}

TEST(Access, IsForThoseWhoShowTheToken) {
  RequestHead head = good();
  EXPECT_EQ(status(head), 200);
  head.authorizations = {std::string("bearer ") + kToken};
  EXPECT_EQ(status(head), 200);
  for (const std::vector<std::string>& shown : std::vector<std::vector<std::string>>{
           {},
           {""},
           {"Bearer"},
           {"Bearer "},
           {kToken},
           {std::string("Basic ") + kToken},
           {std::string("Bearer ") + kToken + "0"},
           {std::string("Bearer 0") + kToken},
           {std::string("Bearer ") + kToken, std::string("Bearer ") + kToken}}) {
    head.authorizations = shown;
    EXPECT_EQ(status(head), 401) << (shown.empty() ? "none" : shown.front());
  }
  EXPECT_FALSE(refusal(head, ""));  // a server that needs none
  head.target = "/health";
  EXPECT_EQ(status(head), 200);
  for (const char* target : {"/health/", "/health?", "/metrics", "/v1/models", "//health"}) {
    head.target = target;
    EXPECT_EQ(status(head), 401) << target;
  }
}

TEST(Access, IsForNamesOfThisMachineAlone) {
  for (const char* host : {"127.0.0.1", "127.0.0.1:1", "localhost:65535", "LocalHost", "[::1]:80"})
    EXPECT_TRUE(is_loopback_host(host)) << host;
  for (const char* host :
       {"", "example.com", "127.0.0.1.example.com", "localhost.example.com",
        "127.0.0.1:", "127.0.0.1:80a", "127.0.0.1:123456", "localhostx", "127.0.0.2", "[::1", "::1",
        "0.0.0.0", "127.0.0.1 ", "127.0.0.1,example.com", "user@127.0.0.1"})
    EXPECT_FALSE(is_loopback_host(host)) << host;
  RequestHead head = good();
  for (const std::vector<std::string>& hosts :
       std::vector<std::vector<std::string>>{{}, {"rebound.example"}, {"127.0.0.1", "127.0.0.1"}}) {
    head.hosts = hosts;
    EXPECT_EQ(status(head), 403);
    EXPECT_TRUE(refusal(head, ""));  // also where no token is needed
    head.target = "/health";
    EXPECT_EQ(status(head), 403);
  }
}

TEST(Access, IsNotForWebPages) {
  RequestHead head = good();
  for (const char* origin : {"https://example.com", "null", "http://127.0.0.1:8080", ""}) {
    head.origins = {origin};
    EXPECT_EQ(status(head), 403) << origin;
    EXPECT_TRUE(refusal(head, ""));
  }
}

TEST(Routes, LeadToWhatIsThere) {
  const auto page = [](const char* method, const char* target, bool has_body = false) {
    const auto route = route_of({.method = method, .target = target, .has_body = has_body});
    const auto* error = std::get_if<ApiError>(&route);
    return error ? error->status : static_cast<int>(std::get<Route>(route).page);
  };
  EXPECT_EQ(page("GET", "/health"), static_cast<int>(Page::kHealth));
  EXPECT_EQ(page("POST", "/infill", true), static_cast<int>(Page::kGeneration));
  EXPECT_EQ(page("GET", "/v1/models/a/b"), static_cast<int>(Page::kModel));
  EXPECT_EQ(page("POST", "/health"), 405);
  EXPECT_EQ(page("OPTIONS", "/v1/completions"), 405);
  EXPECT_EQ(page("GET", "/v1/completions"), 405);
  EXPECT_EQ(page("GET", "/health", true), 400);
  for (const char* target : {"/", "", "*", "/v1/models/", "/v1/modelsx", "/v1/completions/",
                             "/v1/completions?a=b", "http://127.0.0.1/health", "/../health"})
    EXPECT_EQ(page("GET", target), 404) << target;
}

}  // namespace
}  // namespace redraft::http
