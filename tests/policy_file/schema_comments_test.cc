// What the comments of proto/policy.proto say of ranges and defaults is what
// the code does.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "interceptors/policy_file/policy_fields.h"
#include "proto/policy.pb.h"

namespace forbear {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// The comment above each field, on one line, by "Message.field".
std::map<std::string, std::string> Comments() {
  std::map<std::string, std::string> comments;
  std::ifstream file("proto/policy.proto");
  std::string message, comment;
  for (std::string line; std::getline(file, line);) {
    absl::string_view text = absl::StripAsciiWhitespace(line);
    if (absl::ConsumePrefix(&text, "//")) {
      absl::StrAppend(&comment, text);
      continue;
    }
    if (absl::ConsumePrefix(&text, "message ")) {
      message = std::string(text.substr(0, text.find(' ')));
    } else if (const size_t equals = text.find(" = ");
               equals != absl::string_view::npos) {
      const absl::string_view before = text.substr(0, equals);
      const auto name = before.substr(before.rfind(' ') + 1);
      comments[absl::StrCat(message, ".", name)] = comment;
    }
    comment.clear();
  }
  return comments;
}

// What comes after `label`: "0.005s" of "... Default: 0.005s, unknown."
std::string After(absl::string_view label, const std::string& comment) {
  const size_t at = comment.find(std::string(label));
  if (at == std::string::npos) return "";
  absl::string_view text = absl::string_view(comment).substr(at);
  text.remove_prefix(label.size());
  size_t end = text.find(". ");
  if (end == absl::string_view::npos) end = text.size();
  return std::string(absl::StripSuffix(text.substr(0, end), "."));
}

std::string WithoutAsides(absl::string_view text) {
  std::string kept;
  int inside = 0;
  for (char c : text) {
    inside += c == '(' ? 1 : 0;
    if (inside == 0) kept += c;
    inside -= c == ')' ? 1 : 0;
  }
  return kept;
}

// In seconds, if it has a unit. What is no number is NaN, and equals nothing.
double ValueOf(absl::string_view text) {
  absl::ConsumeSuffix(&text, "s");
  double value;
  return absl::SimpleAtod(text, &value)
             ? value
             : std::numeric_limits<double>::quiet_NaN();
}

// Compares each field that it is shown with its comment.
class Reader final : public FieldVisitor {
 public:
  Reader(const Descriptor* message, bool throttle)
      : comments_(Comments()), messages_{message}, throttle_(throttle) {}

  std::set<std::string> seen;

  void Duration(absl::string_view name, absl::Duration& value,
                DurationRange range) override {
    Range(name, absl::ToDoubleSeconds(range.min),
          absl::ToDoubleSeconds(range.max));
    if (value == absl::InfiniteDuration()) {
      EXPECT_TRUE(absl::StartsWith(Default(name), "no ")) << name;
    } else {
      EXPECT_EQ(ValueOf(Word(Default(name))), absl::ToDoubleSeconds(value))
          << name;
    }
  }
  void Number(absl::string_view name, double& value,
              NumberRange range) override {
    Range(name, range.min, range.max);
    EXPECT_EQ(ValueOf(Word(Default(name))), value) << name;
  }
  void Whole(absl::string_view name, int64_t& value,
             NumberRange range) override {
    Range(name, range.min, range.max);
    EXPECT_EQ(ValueOf(Word(Default(name))), static_cast<double>(value)) << name;
  }
  void Flag(absl::string_view name, bool& value) override {
    EXPECT_EQ(Word(Default(name)), value ? "true" : "false") << name;
  }
  void MaybeFlag(absl::string_view name, std::optional<bool>&) override {
    EXPECT_EQ(Word(Default(name)), "as") << name;
  }
  void Choice(absl::string_view name, int& value,
              absl::Span<const absl::string_view> names) override {
    EXPECT_EQ(Word(Default(name)), names[value]) << name;
  }
  void Texts(absl::string_view name, std::vector<std::string>&) override {
    EXPECT_EQ(Default(name), "nobody's") << name;
  }
  void Classes(StatusClasses& classes) override {
    (void)Default("retryable_codes");
    const std::string comment = Comment("classes");
    for (const auto& [code, name] : std::map<absl::StatusCode, std::string>{
             {absl::StatusCode::kUnavailable, "UNAVAILABLE is TRANSIENT"},
             {absl::StatusCode::kResourceExhausted,
              "RESOURCE_EXHAUSTED THROTTLED"},
             {absl::StatusCode::kDeadlineExceeded,
              "DEADLINE_EXCEEDED UNKNOWN_OUTCOME"},
             {absl::StatusCode::kAborted, "ABORTED CONFLICT"}}) {
      EXPECT_TRUE(absl::StrContains(comment, name)) << comment;
      EXPECT_TRUE(absl::EndsWith(
          name, kClassNames[static_cast<int>(classes.Of(code))]));
    }
  }
  void Refuse(absl::string_view, absl::string_view) override {}
  bool Enter(absl::string_view name, bool) override {
    if (name == "throttle" && !throttle_) return false;
    EXPECT_NE(Comment(name), "");
    messages_.push_back(
        messages_.back()->FindFieldByName(std::string(name))->message_type());
    return true;
  }
  void Leave() override { messages_.pop_back(); }

 private:
  std::string Comment(absl::string_view name) {
    const std::string place = absl::StrCat(messages_.back()->name(), ".", name);
    seen.insert(place);
    EXPECT_EQ(comments_.count(place), 1) << place;
    return comments_[place];
  }
  std::string Default(absl::string_view name) {
    std::string value = After("Default: ", Comment(name));
    EXPECT_NE(value, "") << messages_.back()->name() << "." << name;
    return value;
  }
  static std::string Word(const std::string& text) {
    return text.substr(0, text.find_first_of(" ,:"));
  }

  // "0 (no limit) to 3600s", "0, or 0.5 to 0.999", "0.001s or more".
  void Range(absl::string_view name, double min, double max) {
    const std::string place = absl::StrCat(messages_.back()->name(), ".", name);
    std::string said = WithoutAsides(After("Range: ", Comment(name)));
    const bool open = absl::EndsWith(said, " or more");
    EXPECT_EQ(open, max == std::numeric_limits<double>::infinity()) << place;
    ExpectSaid(Word(said), min, place);
    if (open) return;
    const std::vector<std::string> ends = absl::StrSplit(said, " to ");
    ASSERT_EQ(ends.size(), 2) << place;
    ExpectSaid(ends[1], max, place);
  }
  // The end may be another field, which the ranges here know nothing of.
  void ExpectSaid(const std::string& end, double value,
                  const std::string& place) {
    if (messages_.back()->FindFieldByName(end) != nullptr) return;
    EXPECT_EQ(ValueOf(end), value) << place;
  }

  std::map<std::string, std::string> comments_;
  std::vector<const Descriptor*> messages_;  // The innermost last.
  const bool throttle_;
};

template <typename Options>
std::set<std::string> Compare(const Descriptor* message, Options options,
                              bool throttle = false) {
  Reader reader(message, throttle);
  VisitFields(options, reader);
  return reader.seen;
}

TEST(SchemaCommentsTest, RangesAndDefaultsAreThoseOfTheCode) {
  std::set<std::string> seen =
      Compare(v1::MethodPolicy::descriptor(), MethodPolicy{});
  for (const bool throttle : {false, true}) {
    seen.merge(
        Compare(v1::Budget::descriptor(), RetryBudgetOptions{}, throttle));
  }
  seen.merge(Compare(v1::Server::descriptor(), ServerOptions{}));
  seen.merge(Compare(v1::ServerMethod::descriptor(), ServerMethodOptions{}));
  EXPECT_GE(seen.size(), 45);
}

TEST(SchemaCommentsTest, NoFieldIsWithoutOne) {
  const auto comments = Comments();
  const google::protobuf::FileDescriptor& file =
      *v1::Policy::descriptor()->file();
  for (int i = 0; i < file.message_type_count(); ++i) {
    const Descriptor& message = *file.message_type(i);
    for (int k = 0; k < message.field_count(); ++k) {
      const std::string place =
          absl::StrCat(message.name(), ".", message.field(k)->name());
      ASSERT_EQ(comments.count(place), 1) << place;
      EXPECT_NE(comments.at(place), "") << place;
    }
  }
}

}  // namespace
}  // namespace forbear
