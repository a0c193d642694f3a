// What a storm looks like while it runs.
#include "examples/storm/live.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace storm {
namespace {

using ::testing::Each;
using ::testing::Le;
using ::testing::SizeIs;

// As many moments; one order and `attempts` each, all good.
Course SoFar(int moments, int attempts) {
  Course course;
  course.name = "forbear";
  course.phases = {
      {"healthy", absl::ZeroDuration(), absl::Milliseconds(1'500)}};
  if (moments > 15) {
    course.phases.push_back({"failing fast", absl::Milliseconds(1'500),
                             absl::Milliseconds(100 * moments)});
  }
  for (int i = 0; i < moments; ++i) {
    Moment moment;
    moment.at = absl::Milliseconds(100 * i);
    moment.offered = 1;
    moment.good = 1;
    moment.attempts = i < 15 ? 1 : attempts;
    course.moments.push_back(moment);
  }
  return course;
}

class LiveTest : public ::testing::Test {
 protected:
  ~LiveTest() override {
    std::fclose(out_);
    std::free(text_);
  }

  // All that was written, which is then forgotten.
  std::string Written() {
    std::fflush(out_);
    const std::string written(text_ + read_, size_ - read_);
    read_ = size_;
    return written;
  }

  char* text_ = nullptr;
  size_t size_ = 0;
  size_t read_ = 0;
  std::FILE* out_ = open_memstream(&text_, &size_);
};

TEST_F(LiveTest, SaysEachSecondOnceWhereThereIsNoTerminal) {
  Live live(out_, 0);
  live.Show(SoFar(9, 50));
  EXPECT_EQ(Written(), "");
  live.Show(SoFar(21, 50));
  EXPECT_EQ(
      Written(),
      "forbear, 0 s, healthy: 10 orders offered, 10 attempts at routes, "
      "10 good answers\n"
      "forbear, 1 s, failing fast: 10 orders offered, 255 attempts at routes, "
      "10 good answers\n");
  live.Show(SoFar(29, 50));
  EXPECT_EQ(Written(), "");
  live.Show(SoFar(30, 50));
  EXPECT_EQ(Written(),
            "forbear, 2 s, failing fast: 10 orders offered, 500 attempts at "
            "routes, 10 good answers\n");
}

TEST_F(LiveTest, SaysWhatIsKnownOfBudgetAndWaste) {
  Course course = SoFar(10, 1);
  for (Moment& moment : course.moments) {
    moment.wasted = absl::Milliseconds(120);
  }
  course.moments.back().budget_balance = 3.4;
  Live live(out_, 0);
  live.Show(course);
  EXPECT_EQ(Written(),
            "forbear, 0 s, healthy: 10 orders offered, 10 attempts at routes, "
            "10 good answers, 1.2 s spent for nobody, 3.4 retries in budget\n");
}

TEST_F(LiveTest, DrawsTheSecondsAsBarsInATerminal) {
  Live live(out_, 80);
  live.Show(SoFar(30, 50));
  EXPECT_EQ(Written(),
            "\x1b[2Kforbear, 3 s: failing fast\n"
            "\x1b[2Korders offered          10  ▂▂▂\n"
            "\x1b[2Kattempts at routes     500  ▂▅█\n"
            "\x1b[2Kgood answers            10  ███\n"
            "\x1b[2Ks spent for nobody       -     \n"
            "\x1b[2Kretries in budget        -     \n");
}

TEST_F(LiveTest, DrawsOverWhatItDrewBefore) {
  Live live(out_, 80);
  live.Show(Course());
  EXPECT_THAT(std::vector<std::string>(absl::StrSplit(Written(), '\n')),
              SizeIs(7));  // Six lines, each ended.
  live.Show(SoFar(30, 50));
  const std::string again = Written();
  EXPECT_TRUE(absl::StartsWith(again, "\x1b[6A\x1b[2Kforbear, 3 s"));
  EXPECT_THAT(std::vector<std::string>(absl::StrSplit(again, '\n')), SizeIs(7));
}

// Columns of a text without what moves the cursor.
size_t Columns(std::string line) {
  for (const char* const move : {"\x1b[6A", "\x1b[2K"}) {
    if (absl::StartsWith(line, move)) line = line.substr(4);
  }
  size_t columns = 0;
  for (const char byte : line) {
    if ((byte & 0xc0) != 0x80) ++columns;  // Not within a code point.
  }
  return columns;
}

TEST_F(LiveTest, IsNeverWiderThanTheTerminal) {
  for (const int width : {1, 10, 40, 80, 200}) {
    Live live(out_, width);
    live.Show(SoFar(3'000, 50));
    std::vector<size_t> columns;
    for (const std::string& line :
         std::vector<std::string>(absl::StrSplit(Written(), '\n'))) {
      columns.push_back(Columns(line));
    }
    EXPECT_THAT(columns, Each(Le(width)));
    EXPECT_EQ(columns[1], width);  // All the room is used.
  }
}

TEST(TerminalWidthTest, IsNothingForAFile) {
  std::FILE* const file = std::tmpfile();
  EXPECT_EQ(TerminalWidth(file), 0);
  std::fclose(file);
}

}  // namespace
}  // namespace storm
