#include "tuning/data/licences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuning/data/licence_texts.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;

TEST(Licences, AreKnownByTheirText) {
  EXPECT_EQ(licence_of_text(kMitText), "MIT");
  EXPECT_EQ(licence_of_text(kBsd3Text), "BSD-3-Clause");
  std::string bsd2 = kBsd3Text;
  const std::size_t third = bsd2.find("3. Neither"), end = bsd2.find("THIS SOFTWARE");
  EXPECT_EQ(licence_of_text(bsd2.erase(third, end - third)), "BSD-2-Clause");
  EXPECT_EQ(licence_of_text(""), std::nullopt);
  EXPECT_EQ(licence_of_text("All rights reserved. You may read this."), std::nullopt);
}

TEST(Licences, WithMoreThanTheirTextAreNotTakenForIt) {
  EXPECT_EQ(licence_of_text(std::string(kBsd3Text) +
                            "\n4. The contents may not be used as training data for any model.\n"),
            std::nullopt);
  std::string longer = kMitText;
  for (int i = 0; i < 200; ++i) longer += " furthermore";
  EXPECT_EQ(licence_of_text(longer), std::nullopt);
  EXPECT_EQ(licence_of_text(std::string(kMitText) + "\nor the GNU General Public License\n"),
            std::nullopt);
}

TEST(Licences, AreJudgedByAList) {
  for (const char* good : {"MIT", "Apache-2.0", "MIT OR GPL-3.0-only", "MIT AND BSD-2-Clause",
                           "mit", "GPL-2.0-only OR Unlicense", "(MIT)", "Apache Software License"})
    EXPECT_TRUE(is_permissive(good)) << good;
  for (const char* bad : {"", "GPL-3.0-only", "MIT AND GPL-3.0-only", "LicenseRef-MIT", "MPL-2.0",
                          "Apache-2.0 WITH LLVM-exception", "CC-BY-NC-4.0", "MIT-ish", "MIT OR",
                          "(MIT OR GPL-2.0-only) AND SSPL-1.0", "GPL-2.0-only OR LGPL-2.1-only"})
    EXPECT_FALSE(is_permissive(bad)) << bad;
}

TEST(Licences, AreStatedByMetadata) {
  EXPECT_EQ(licence_of_metadata("pyproject.toml",
                                "[project]\nname = \"x\"\nlicense = \"BSD-3-Clause\"\n"),
            "BSD-3-Clause");
  EXPECT_EQ(licence_of_metadata("pyproject.toml", "license = {text = \"MIT License\"}\n"), "MIT");
  EXPECT_EQ(licence_of_metadata("package.json", "{\n  \"license\": \"ISC\",\n}"), "ISC");
  EXPECT_EQ(licence_of_metadata("Cargo.toml", "license = \"MIT OR Apache-2.0\"\n"),
            "MIT OR Apache-2.0");
  EXPECT_EQ(licence_of_metadata("setup.cfg", "[metadata]\nlicense = GPL-3.0\n"), "GPL-3.0");
  EXPECT_EQ(licence_of_metadata("setup.cfg", "[metadata]\nname = x\n"), std::nullopt);
}

TEST(Licences, AreStatedBySourceFiles) {
  EXPECT_EQ(licence_of_source("/* SPDX-License-Identifier: GPL-2.0 */\nint x;\n"), "GPL-2.0");
  EXPECT_EQ(licence_of_source("# SPDX-License-Identifier: MIT\n"), "MIT");
  EXPECT_EQ(licence_of_source("x = 1\n"), std::nullopt);
}

std::string of(const std::vector<NamedText>& files) {
  const Result<std::string> licence = project_licence(files);
  return licence ? *licence : licence.error().message();
}

TEST(Licences, OfAProjectHaveToBeAllPermissive) {
  EXPECT_EQ(of({{"LICENSE", kMitText}}), "MIT");
  EXPECT_EQ(of({{"LICENSE.txt", kMitText}, {"LICENSE-BSD", kBsd3Text}, {"COPYING", kMitText}}),
            "MIT AND BSD-3-Clause");
  EXPECT_THAT(of({{"LICENSE", kMitText}, {"COPYING", "GNU GENERAL PUBLIC LICENSE Version 3"}}),
              HasSubstr("COPYING is not one of the permissive licences"));
  EXPECT_THAT(of({{"COPYING", ""}, {"pyproject.toml", "license = \"MIT\"\n"}}),
              HasSubstr("COPYING is not one"))
      << "what cannot be read is not outvoted";
  EXPECT_EQ(of({{"pyproject.toml", "license = \"MIT\"\n"}}), "MIT");
  EXPECT_THAT(of({{"package.json", "{\n\"license\": \"SSPL-1.0\"}"}}),
              HasSubstr("package.json states the licence 'SSPL-1.0', which is not on the list"));
  EXPECT_THAT(of({}), HasSubstr("there is no licence file"));
}

}  // namespace
}  // namespace redraft
