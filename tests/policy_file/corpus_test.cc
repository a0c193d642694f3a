// Gives the fuzz target what it starts from, and whatever it once stumbled
// over.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

TEST(CorpusTest, EveryFileIsTakenOrRefused) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("tests/policy_file/corpus")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    SCOPED_TRACE(entry.path().string());
    EXPECT_EQ(LLVMFuzzerTestOneInput(
                  reinterpret_cast<const uint8_t*>(text.data()), text.size()),
              0);
    ++files;
  }
  EXPECT_GE(files, 10);
}

}  // namespace
