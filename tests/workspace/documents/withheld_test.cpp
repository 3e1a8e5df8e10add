#include "workspace/documents/withheld.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace redraft {
namespace {

using Folders = std::vector<std::filesystem::path>;

TEST(Withheld, WithholdsNamesThatAWalkSkips) {
  const Folders folders = {"/code/project"};
  for (const char* uri :
       {"file:///code/project/.env", "file:///code/project/a/.ENV.local",
        "file:///code/project/id_rsa", "file:///code/project/tls/server.pem",
        "file:///code/project/credentials/a.py", "file:///code/project/.ssh/config",
        "file:///code/project/a/.docker/config.json", "file:///code/project/%2eenv",
        "file:///code/project/a/../.env", "file://localhost/code/project/.env"})
    EXPECT_EQ(withheld_by_name(uri, folders), SkipReason::kSecret) << uri;
  EXPECT_EQ(withheld_by_name("file:///code/project/.git/COMMIT_EDITMSG", folders),
            SkipReason::kVersionControl);
  for (const char* uri :
       {"file:///code/project/a.py", "file:///code/project/environment.py", "untitled:Untitled-1",
        "file:///code/project/keys/a.py", "file:///code/project/Cargo.lock", "", "u", "untitled:"})
    EXPECT_FALSE(withheld_by_name(uri, folders)) << uri;
}

TEST(Withheld, AFolderOfTheWorkspaceMayHaveAnyName) {
  const char* const uri = "file:///code/credentials-service/a.py";
  EXPECT_TRUE(withheld_by_name(uri, {}));
  EXPECT_TRUE(withheld_by_name(uri, Folders{"/code"}));
  EXPECT_FALSE(withheld_by_name(uri, Folders{"/code/credentials-service"}));
  EXPECT_FALSE(withheld_by_name(uri, Folders{"/code", "/code/credentials-service"}))
      << "one of them is enough";
  EXPECT_TRUE(withheld_by_name("file:///code/credentials-service/.env",
                               Folders{"/code", "/code/credentials-service"}));
}

TEST(Withheld, OutsideOfTheWorkspaceEveryNameCounts) {
  for (const Folders& folders : {Folders{}, Folders{"/code/project"}}) {
    for (const char* uri : {"file:///home/somebody/.ssh/config",
                            "file:///home/somebody/.aws/config", "file:///srv/.env"})
      EXPECT_EQ(withheld_by_name(uri, folders), SkipReason::kSecret) << uri;
    EXPECT_FALSE(withheld_by_name("file:///home/somebody/a.py", folders));
  }
}

TEST(Withheld, OtherKindsOfUris) {
  for (const char* uri :
       {"untitled:.env", "untitled:/code/.env", "git:/code/project/.env?%7B%22ref%22%3A%22~%22%7D",
        "vscode-remote://host/home/a/.ssh/config", "file://otherhost/a/.env", "file:///a/.env?x#y",
        "file:///a/#x/.env", "file:///a/%zz/.env", "vscode-vfs:/a/%2Eenv?x", ".env", "/a/.env",
        "a/id_rsa"})
    EXPECT_EQ(withheld_by_name(uri, {}), SkipReason::kSecret) << uri;
  const Folders folders = {"/code/credentials"};
  EXPECT_FALSE(withheld_by_name("git:/code/credentials/a.py?HEAD", folders));
}

TEST(Withheld, PartOfReturnsTheReplacedRegion) {
  const auto reason = [](const std::string& text, const char* uri = "file:///a.py") {
    return withheld_by_text(**Document::make(uri, 1, text));
  };
  EXPECT_EQ(reason("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n"), SkipReason::kSecret);
  EXPECT_EQ(reason("PuTTY-User-Key-File-3: ssh-ed25519\n"), SkipReason::kSecret);
  EXPECT_EQ(reason("# @generated\nx = 1\n"), SkipReason::kGenerated);
  EXPECT_EQ(reason(std::string(30'000, 'x'), "file:///a.js"), SkipReason::kGenerated);
  EXPECT_FALSE(reason("x = 1\n"));
  EXPECT_FALSE(reason(""));
  EXPECT_FALSE(reason(std::string(10'000, 'x'), "file:///a.md"));
}

}  // namespace
}  // namespace redraft
