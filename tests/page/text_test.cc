#include "examples/page/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "examples/page/file.h"
#include "examples/page/frame.h"
#include "examples/page/table.h"

namespace page {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TextTest, LeavesNoMarkupInAText) {
  EXPECT_EQ(Escape("a < b && \"c\" > 'd'"),
            "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(Escape("naïve – 3 ×\n"), "naïve – 3 ×\n");
}

TEST(TextTest, ReplacesWhatAPageMayNotContain) {
  EXPECT_EQ(Escape(std::string("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(TextTest, SetsThousandsApart) {
  EXPECT_EQ(Number(0), "0");
  EXPECT_EQ(Number(999), "999");
  EXPECT_EQ(Number(15'900), "15,900");
  EXPECT_EQ(Number(1'234'567.891, 2), "1,234,567.89");
  EXPECT_EQ(Number(-1'234), "−1,234");
  EXPECT_EQ(Number(-0.001, 2), "0.00");
  EXPECT_EQ(Number(std::numeric_limits<double>::infinity()), "–");
}

TEST(TextTest, GivesCoordinatesToTheTenth) {
  EXPECT_EQ(Coordinate(12), "12");
  EXPECT_EQ(Coordinate(12.34), "12.3");
  EXPECT_EQ(Coordinate(-0.01), "0");
}

TEST(TableTest, EscapesAllThatItIsGiven) {
  const Table table{"<c>", {"<h>"}, {{"<r>", {"<v>", "<f>\"'"}}}};
  const std::string html = Details(table);
  for (const char* raw : {"<c>", "<h>", "<r>", "<v>", "<f>"}) {
    EXPECT_THAT(html, Not(HasSubstr(raw)));
  }
  EXPECT_THAT(html, HasSubstr("<td data-figure=\"&lt;f&gt;&quot;&#39;\">"
                              "&lt;v&gt;</td>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">&lt;r&gt;</th>"));
}

TEST(FrameTest, AsksNoNetworkForAnything) {
  const std::string html = Html(Frame{"title", "", {{"id", "<s>", ""}}});
  EXPECT_THAT(html, Not(HasSubstr("http")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_THAT(html, Not(HasSubstr("@import")));
  EXPECT_THAT(html, Not(HasSubstr("<s>")));
}

TEST(FileTest, IsWrittenWhereTheUserStands) {
  const std::string directory = ::testing::TempDir();
  setenv("BUILD_WORKING_DIRECTORY", directory.c_str(), 1);
  EXPECT_EQ(FromWhereTheUserStands("lab.html"), directory + "/lab.html");
  EXPECT_EQ(FromWhereTheUserStands("/x/lab.html"), "/x/lab.html");
  EXPECT_EQ(WriteFile("lab.html", "text"), absl::OkStatus());
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(FromWhereTheUserStands("lab.html"), "lab.html");
  std::FILE* file = std::fopen((directory + "/lab.html").c_str(), "r");
  ASSERT_NE(file, nullptr);
  char content[8] = {};
  EXPECT_EQ(std::fread(content, 1, sizeof(content), file), 4u);
  std::fclose(file);
  EXPECT_STREQ(content, "text");
}

TEST(FileTest, NamesWhatCannotBeWritten) {
  EXPECT_EQ(WriteFile("/nowhere/lab.html", "text"),
            absl::InvalidArgumentError("/nowhere/lab.html: cannot be written: "
                                       "No such file or directory"));
}

}  // namespace
}  // namespace page
