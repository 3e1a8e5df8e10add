#include "workspace/documents/file_uri.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

TEST(FileUri, GivesThePath) {
  EXPECT_EQ(path_of_uri("file:///home/a/b.py"), "/home/a/b.py");
  EXPECT_EQ(path_of_uri("file://localhost/b.py"), "/b.py");
  EXPECT_EQ(path_of_uri("file:///a%20b/%C3%BC%23.py"), "/a b/ü#.py");
  EXPECT_EQ(path_of_uri("file:///a/../b//c.py"), "/b/c.py");
  EXPECT_EQ(path_of_uri("file:///a%2f"), "/a/");
}

TEST(FileUri, OrNone) {
  for (const char* uri : {"", "file://", "untitled:a.py", "file://host/a.py", "file:///a%2",
                          "file:///a%", "file:///a%zz", "file:///a%00", "file:///a?b", "/a.py"})
    EXPECT_EQ(path_of_uri(uri), std::nullopt) << uri;
  EXPECT_EQ(path_of_uri(std::string_view("file:///a\0b", 11)), std::nullopt);
}

TEST(FileUri, RoundTripsAPath) {
  EXPECT_EQ(uri_of_path("/a b/ü#.py"), "file:///a%20b/%C3%BC%23.py");
  for (const char* path : {"/", "/a/b.py", "/a b/%20?#&+.py", "/\xff"})
    EXPECT_EQ(path_of_uri(uri_of_path(path)), path);
}

TEST(FileUri, IsWithinAFolderHoweverThatIsWritten) {
  EXPECT_TRUE(is_within("file:///a/b.py", "file:///a/b.py"));
  EXPECT_TRUE(is_within("file:///a/b%20c/d.py", "file:///%61/b c"));
  EXPECT_TRUE(is_within("untitled:a", "untitled:a"));
  EXPECT_FALSE(is_within("file:///a", "file:///a/b.py"));
  EXPECT_FALSE(is_within("file:///a/bc.py", "file:///a/b"));
  EXPECT_FALSE(is_within("untitled:a/b", "untitled:a"));
}

}  // namespace
}  // namespace redraft
