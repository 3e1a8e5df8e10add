#include "lsp/host/access_token.h"

#include <gtest/gtest.h>

namespace redraft::lsp {
namespace {

constexpr const char* kToken = "0123456789abcdef";

std::string first_message(const Json& options) {
  return Json{{"id", 7}, {"method", "initialize"}, {"params", {{"initializationOptions", options}}}}
      .dump();
}

TEST(AccessToken, WhoNamesItIsNotRefused) {
  EXPECT_EQ(refusal(first_message({{"redraft", {{"token", kToken}, {"index", false}}}}), kToken),
            std::nullopt);
}

TEST(AccessToken, WhoDoesNotIsRefusedUnderItsId) {
  for (const Json& options :
       {Json(), Json::array(), Json("redraft"), Json{{"redraft", kToken}},
        Json{{"redraft", {{"token", ""}}}}, Json{{"redraft", {{"token", "0123456789abcdeF"}}}},
        Json{{"redraft", {{"token", {kToken}}}}}}) {
    const std::optional<Json> answer = refusal(first_message(options), kToken);
    ASSERT_TRUE(answer) << options;
    EXPECT_EQ(answer->at("id"), 7);
    EXPECT_EQ(answer->at("error").at("code"), -32803);
  }
}

TEST(AccessToken, WhatIsNoRequestIsRefusedWithoutAnId) {
  for (const char* message : {"", "{", "[]", "{\"id\":{}}", "{\"params\":[[]]}", "null"}) {
    const std::optional<Json> answer = refusal(message, kToken);
    ASSERT_TRUE(answer) << message;
    EXPECT_TRUE(answer->at("id").is_null());
  }
}

TEST(AccessToken, OtherMethodsAreRefused) {
  Json message = Json::parse(first_message({{"redraft", {{"token", kToken}}}}));
  message["method"] = "redraft/status";
  EXPECT_TRUE(refusal(message.dump(), kToken));
}

}  // namespace
}  // namespace redraft::lsp
