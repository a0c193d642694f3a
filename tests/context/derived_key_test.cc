#include "interceptors/context/derived_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace forbear {
namespace {

using ::testing::MatchesRegex;
using ::testing::SizeIs;

constexpr absl::string_view kTake = "/shop.Stock/Take";

TEST(DerivedKeyTest, IsReadableWhereItCanBe) {
  EXPECT_EQ(TaggedKey("c1f9", kTake, "book"), "c1f9/shop.Stock/Take/book");
  EXPECT_EQ(CountedKey("c1f9", kTake, 1), "c1f9/shop.Stock/Take/#1");
  EXPECT_EQ(CountedKey("c1f9", kTake, 12), "c1f9/shop.Stock/Take/#12");
}

TEST(DerivedKeyTest, NestsAcrossServices) {
  const std::string inner = CountedKey("c1f9", kTake, 1);
  EXPECT_EQ(CountedKey(inner, "/shop.Routes/Estimate", 2),
            "c1f9/shop.Stock/Take/#1/shop.Routes/Estimate/#2");
}

// The published test vector of 128-bit FNV-1a for "foobar".
TEST(DerivedKeyTest, ReplacesWhatItCannotKeepByAStableHash) {
  EXPECT_EQ(TaggedKey("a", "/foobar", "b"),
            "a/~343e1662793c64bf6f0d3597ba446f18/b");
}

TEST(DerivedKeyTest, IsLegalMetadataWhateverItIsMadeOf) {
  const std::string odd[] = {
      "a",
      "",
      " ",
      "a b",
      "\n",
      std::string("\0", 1),
      "\x7f",
      "\xff\xfe",
      "caf\xc3\xa9",
      std::string(79, 'x'),
      std::string(81, 'x'),
      std::string(10'000, 'x'),
      "//",
      "~",
      "#",
      "/p.S/M",
  };
  for (const std::string& inbound : odd) {
    for (const std::string& method : odd) {
      std::vector<std::string> keys;
      for (const std::string& tag : odd) {
        keys.push_back(TaggedKey(inbound, method, tag));
      }
      keys.push_back(CountedKey(inbound, method, 1 << 30));
      for (const std::string& key : keys) {
        ASSERT_LE(key.size(), static_cast<size_t>(kLongestKey));
        ASSERT_TRUE(std::all_of(key.begin(), key.end(), [](unsigned char c) {
          return absl::ascii_isgraph(c);
        })) << key;
      }
    }
  }
}

TEST(DerivedKeyTest, KeepsEachPartUpToItsShare) {
  const std::string inbound(80, 'i');
  const std::string method = "/p.S/" + std::string(76, 'm');
  const std::string tag(38, 't');
  EXPECT_THAT(TaggedKey(inbound, method, tag), SizeIs(kLongestKey));
  EXPECT_EQ(TaggedKey(inbound, method, tag), inbound + method + "/" + tag);
  EXPECT_THAT(TaggedKey(inbound + "i", method, tag),
              MatchesRegex("~[0-9a-f]{32}/p.S/m{76}/t{38}"));
  EXPECT_THAT(TaggedKey(inbound, method + "m", tag),
              MatchesRegex("i{80}/~[0-9a-f]{32}/t{38}"));
  EXPECT_THAT(TaggedKey(inbound, method, tag + "t"),
              MatchesRegex("i{80}/p.S/m{76}/~[0-9a-f]{32}"));
}

// Every way to cut one text in three, and every look-alike of a count or a
// hash: no two of them give the same key.
TEST(DerivedKeyTest, HasOneMeaningOnly) {
  const std::string hash = TaggedKey("x", "/p.S/M", "a/b").substr(8);
  ASSERT_THAT(hash, MatchesRegex("~[0-9a-f]{32}"));
  const std::string parts[] = {
      "a",     "b",       "p.S/M",    "p.S/M/a", "a/p.S/M", "a/p.S/M/b",
      "S/M",   "M",       "/M",       "S/",      "#1",      "#2",
      "a/#1",  "#",       "1",        "a/b",     hash,      hash + "/b",
      "a/b/c", "p.S/M/N", "p.S/M/#1", "a/p.S",   "~",       "a b",
  };
  std::map<std::string, std::tuple<std::string, std::string, std::string>> seen;
  for (const std::string& inbound : parts) {
    for (const std::string& method : parts) {
      for (const std::string& tag : parts) {
        const auto made_of = std::make_tuple(inbound, method, tag);
        const auto [it, is_new] =
            seen.emplace(TaggedKey(inbound, "/" + method, tag), made_of);
        EXPECT_TRUE(is_new) << it->first;
      }
      for (int count : {1, 2, 11}) {
        const auto made_of =
            std::make_tuple(inbound, method, "count " + std::to_string(count));
        const auto [it, is_new] =
            seen.emplace(CountedKey(inbound, "/" + method, count), made_of);
        EXPECT_TRUE(is_new) << it->first;
      }
    }
  }
}

}  // namespace
}  // namespace forbear
