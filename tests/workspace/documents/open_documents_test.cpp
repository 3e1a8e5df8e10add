#include "workspace/documents/open_documents.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

TEST(OpenDocuments, APlaceThatIsDeletedIsWhereTheTextWas) {
  OpenDocuments documents;
  ASSERT_TRUE(documents.open("u", 1, std::string(3000, 'x'), "python"));
  ASSERT_TRUE(documents.change("u", 2, {{{2500, 2500}, "y"}}));
  ASSERT_TRUE(documents.change("u", 3, {{{100, 3001}, ""}}));
  ASSERT_EQ(documents.find("u")->text().size(), 100U);
  for (const auto& place : documents.recent_places()) EXPECT_LE(place.offset, 100U);
}

}  // namespace
}  // namespace redraft
