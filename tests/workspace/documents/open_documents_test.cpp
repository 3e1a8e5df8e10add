#include "workspace/documents/open_documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kCode = "file:///code/a.py";
constexpr const char* kSecrets = "file:///code/.env";
constexpr const char* kNotes = "file:///code/notes.txt";
const std::string kKey =
    "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n";

std::vector<std::string> uris(const std::vector<std::shared_ptr<const Document>>& documents) {
  std::vector<std::string> uris;
  for (const auto& document : documents) uris.push_back(document->uri());
  return uris;
}

std::vector<std::string> places(const OpenDocuments& documents) {
  std::vector<std::string> uris;
  for (const auto& place : documents.recent_places()) uris.push_back(place.uri);
  return uris;
}

std::vector<std::string> changed(const OpenDocuments& documents) {
  std::vector<std::string> uris;
  for (const RecentChange& change : documents.recent_changes())
    uris.push_back(change.document->uri());
  return uris;
}

TEST(OpenDocuments, APlaceThatIsDeletedIsWhereTheTextWas) {
  OpenDocuments documents;
  ASSERT_TRUE(documents.open("u", 1, std::string(3000, 'x'), "python"));
  ASSERT_TRUE(documents.change("u", 2, {{{2500, 2500}, "y"}}));
  ASSERT_TRUE(documents.change("u", 3, {{{100, 3001}, ""}}));
  ASSERT_EQ(documents.find("u")->text().size(), 100U);
  for (const auto& place : documents.recent_places()) EXPECT_LE(place.offset, 100U);
}

TEST(OpenDocuments, OneThatIsWithheldTellsOthersNothing) {
  OpenDocuments documents;
  ASSERT_TRUE(documents.open(kSecrets, 1, "TOKEN=a secret of some length\nB=1\n", ""));
  ASSERT_TRUE(documents.open(kCode, 1, "x = 1\n", "python"));
  ASSERT_TRUE(documents.change(kSecrets, 2, {{{32, 33}, "2"}, {{0, 30}, ""}}));
  EXPECT_EQ(documents.withheld(kSecrets), SkipReason::kSecret);
  EXPECT_FALSE(documents.withheld(kCode));
  EXPECT_FALSE(documents.withheld(kNotes)) << "it is not open";
  EXPECT_THAT(documents.beside(kCode), IsEmpty());
  EXPECT_THAT(uris(documents.from(kCode)), ElementsAre(kCode));
  EXPECT_THAT(places(documents), IsEmpty());
  EXPECT_THAT(changed(documents), IsEmpty());
  // The withheld document itself is there, and the others are visible to it.
  EXPECT_EQ(documents.find(kSecrets)->text(), "B=2\n");
  EXPECT_THAT(uris(documents.from(kSecrets)), ElementsAre(kSecrets, kCode));
  EXPECT_THAT(uris(documents.beside(kSecrets)), ElementsAre(kCode));
  EXPECT_THAT(uris(documents.all()), UnorderedElementsAre(kSecrets, kCode));
}

TEST(OpenDocuments, AKeySilencesADocumentWhileItIsThere) {
  OpenDocuments documents;
  ASSERT_TRUE(documents.open(kCode, 1, "x = 1\n", "python"));
  ASSERT_TRUE(documents.open(kNotes, 1, "some notes\n", ""));
  ASSERT_TRUE(documents.change(kNotes, 2, {{{0, 4}, "many"}}));
  EXPECT_THAT(uris(documents.beside(kCode)), ElementsAre(kNotes));
  EXPECT_THAT(places(documents), ElementsAre(kNotes));
  EXPECT_THAT(changed(documents), ElementsAre(kNotes));
  ASSERT_TRUE(documents.change(kNotes, 3, {{{0, 0}, kKey}}));
  EXPECT_EQ(documents.withheld(kNotes), SkipReason::kSecret);
  EXPECT_THAT(documents.beside(kCode), IsEmpty());
  EXPECT_THAT(places(documents), IsEmpty());
  EXPECT_THAT(changed(documents), IsEmpty());
  ASSERT_TRUE(documents.change(kNotes, 4, {{{0, kKey.size()}, ""}}));
  EXPECT_FALSE(documents.withheld(kNotes));
  EXPECT_THAT(uris(documents.beside(kCode)), ElementsAre(kNotes)) << "what was removed is none";
  EXPECT_THAT(changed(documents), IsEmpty()) << "that a key went is not told";
  ASSERT_TRUE(documents.change(kNotes, 5, {{{0, 4}, "some"}}));
  EXPECT_THAT(changed(documents), ElementsAre(kNotes));
}

TEST(OpenDocuments, AKeyFromTheMiddleOfATextIsNotRemembered) {
  OpenDocuments documents;
  const std::string before = "some notes, the more the better: so many that it is no key\n";
  ASSERT_TRUE(documents.open(kNotes, 1, before + before + kKey, ""));
  ASSERT_FALSE(documents.withheld(kNotes)) << "nobody looks for keys there";
  ASSERT_TRUE(
      documents.change(kNotes, 2, {{{2 * before.size(), 2 * before.size() + kKey.size()}, ""}}));
  EXPECT_THAT(documents.beside(kNotes), IsEmpty());
  ASSERT_TRUE(documents.change(kNotes, 3, {{{0, before.size()}, ""}}));
  EXPECT_THAT(uris(documents.beside(kNotes)), ElementsAre("removed"));
}

TEST(OpenDocuments, FoldersDecideWhatNamesCount) {
  constexpr const char* kInside = "file:///code/credentials/a.py";
  OpenDocuments documents;
  EXPECT_THAT(documents.set_folders({"/code/credentials"}), IsEmpty());
  ASSERT_TRUE(documents.open(kInside, 1, "x = 1\n", "python"));
  ASSERT_TRUE(documents.change(kInside, 2, {{{0, 1}, "y"}}));
  EXPECT_FALSE(documents.withheld(kInside));
  EXPECT_THAT(documents.set_folders({"/code/credentials"}), IsEmpty());
  EXPECT_THAT(documents.set_folders({"/code"}), ElementsAre(kInside));
  EXPECT_TRUE(documents.withheld(kInside));
  EXPECT_THAT(places(documents), IsEmpty());
  EXPECT_THAT(changed(documents), IsEmpty());
  EXPECT_THAT(documents.set_folders({"/code/credentials"}), ElementsAre(kInside));
  EXPECT_FALSE(documents.withheld(kInside));
}

TEST(OpenDocuments, OneThatDidNotArriveIsNotOpenAndSaysWhy) {
  OpenDocuments documents;
  ASSERT_TRUE(documents.open(kCode, 1, "x = 1\n", "python"));
  documents.refuse(kCode, Error("too large"));
  EXPECT_EQ(documents.find(kCode), nullptr);
  EXPECT_EQ(documents.why_not(kCode).message(), "too large");
  EXPECT_FALSE(documents.change(kCode, 2, {}));
  EXPECT_EQ(documents.why_not(kCode).message(), "too large");
  ASSERT_TRUE(documents.open(kCode, 3, "x = 1\n", "python"));
  EXPECT_NE(documents.find(kCode), nullptr);
}

}  // namespace
}  // namespace redraft
