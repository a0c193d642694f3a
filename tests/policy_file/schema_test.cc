// proto/policy.proto and the reader have the same fields, and other programs
// that know the schema read what forbear writes.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy_file/load_policy.h"
#include "interceptors/policy_file/policy_fields.h"
#include "interceptors/policy_file/policy_writer.h"
#include "proto/policy.pb.h"

namespace forbear {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

// Writes down every field that it is shown, as "name type".
class Names final : public FieldVisitor {
 public:
  std::set<std::string> found;

  void Duration(absl::string_view name, absl::Duration&,
                DurationRange) override {
    Add(name, "duration");
  }
  void Number(absl::string_view name, double&, NumberRange) override {
    Add(name, "double");
  }
  void Whole(absl::string_view name, int64_t&, NumberRange) override {
    Add(name, "whole");
  }
  void Flag(absl::string_view name, bool&) override { Add(name, "bool"); }
  void MaybeFlag(absl::string_view name, std::optional<bool>&) override {
    Add(name, "bool");
  }
  void Choice(absl::string_view name, int&,
              absl::Span<const absl::string_view> names) override {
    Add(name, absl::StrCat("of ", absl::StrJoin(names, " ")));
  }
  void Texts(absl::string_view name, std::vector<std::string>&) override {
    Add(name, "texts");
  }
  void Classes(StatusClasses&) override {
    Add("retryable_codes", "codes");
    Add("classes", absl::StrCat("of ", absl::StrJoin(kClassNames, " ")));
  }
  void Refuse(absl::string_view name, absl::string_view) override {
    // What stands beside a throttle; named without one, elsewhere.
    refused.insert(std::string(name));
  }
  bool Enter(absl::string_view name, bool) override {
    absl::StrAppend(&prefix_, name, ".");
    return true;
  }
  void Leave() override {
    prefix_.pop_back();
    prefix_.resize(prefix_.rfind('.') + 1);
  }

  std::set<std::string> refused;

 private:
  void Add(absl::string_view name, absl::string_view type) {
    found.insert(absl::StrCat(prefix_, name, " ", type));
  }
  std::string prefix_;
};

std::string ValuesOf(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 1; i < type.value_count(); ++i) {  // 0 is unspecified.
    names.push_back(type.value(i)->name());
  }
  return absl::StrCat("of ", absl::StrJoin(names, " "));
}

std::string TypeOf(const FieldDescriptor& field) {
  if (field.is_map()) {
    return ValuesOf(*field.message_type()->map_value()->enum_type());
  }
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return "double";
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
      return "whole";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "bool";
    case FieldDescriptor::CPPTYPE_ENUM:
      return field.enum_type()->name() == "Code" ? "codes"
                                                 : ValuesOf(*field.enum_type());
    case FieldDescriptor::CPPTYPE_STRING:
      return "texts";
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return field.message_type()->full_name() == "google.protobuf.Duration"
                 ? "duration"
                 : "message";
    default:
      return "unexpected";
  }
}

std::set<std::string> FieldsOf(const Descriptor& message,
                               const std::string& prefix = "") {
  std::set<std::string> fields;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    // Whose policy it is, and a server's methods, are read elsewhere.
    if (field.name() == "name" || field.name() == "methods") continue;
    const std::string type = TypeOf(field);
    if (type == "message") {
      fields.merge(
          FieldsOf(*field.message_type(), prefix + field.name() + "."));
    } else {
      fields.insert(absl::StrCat(prefix, field.name(), " ", type));
    }
  }
  return fields;
}

template <typename Options>
std::set<std::string> Visited(Options options) {
  Names names;
  VisitFields(options, names);
  return names.found;
}

TEST(SchemaTest, HasTheFieldsThatAreRead) {
  EXPECT_EQ(FieldsOf(*v1::MethodPolicy::descriptor()), Visited(MethodPolicy{}));
  EXPECT_EQ(FieldsOf(*v1::Server::descriptor()), Visited(ServerOptions{}));
  EXPECT_EQ(FieldsOf(*v1::ServerMethod::descriptor()),
            Visited(ServerMethodOptions{}));
}

// A budget has its own fields or a throttle: the visitor sees one of them.
TEST(SchemaTest, HasTheFieldsOfBothKindsOfBudget) {
  Names names;
  RetryBudgetOptions budget;
  VisitFields(budget, names);
  EXPECT_THAT(names.refused, ::testing::ElementsAre("burst_window", "ceiling",
                                                    "floor", "ratio"));
  std::set<std::string> expected = FieldsOf(*v1::Budget::descriptor());
  for (const char* own : {"burst_window duration", "ceiling double",
                          "floor double", "ratio double"}) {
    EXPECT_EQ(expected.erase(own), 1) << own;
  }
  EXPECT_EQ(names.found, expected);
}

TEST(SchemaTest, OtherProgramsReadWhatIsWritten) {
  const auto policy = ParsePolicy(R"({
      "methods": [{"name": [{"service": "a.S", "method": "M"}],
          "attemptTimeout": "0.8s", "repeatable": false, "mode": "OBSERVE",
          "backoff": {"jitter": "NONE"}, "classes": {"DATA_LOSS": "LISTED"}},
        {"name": [{"service": "a.S"}], "attemptsUntilDeadline": true,
         "retryableCodes": ["unavailable"]}],
      "targets": [{"target": "a:1", "budget": {"throttle": {}}}],
      "server": {"mode": "OFF", "maxConcurrentCalls": 8,
          "queue": {"target": "0.05s", "maxCalls": 0},
          "trustedPeers": ["a b"], "methods": [
              {"name": [{"service": "a.S", "method": "M"}],
               "maxConcurrentCalls": 2}]}})");
  ASSERT_TRUE(policy.ok()) << policy.status();
  const std::string json = WritePolicy(*policy);
  v1::Policy message;
  const auto status =
      google::protobuf::util::JsonStringToMessage(json, &message);
  ASSERT_TRUE(status.ok()) << status << json;
  EXPECT_EQ(message.methods_size(), 2);
  EXPECT_EQ(message.methods(1).attempt_timeout().nanos(), 800000000);
  EXPECT_FALSE(message.methods(1).repeatable());
  EXPECT_TRUE(message.methods(1).has_repeatable());
  EXPECT_EQ(message.methods(1).classes().at("DATA_LOSS"), v1::LISTED);
  EXPECT_EQ(message.methods(0).retryable_codes(0), v1::UNAVAILABLE);
  EXPECT_EQ(message.server().mode(), v1::MethodPolicy::OFF);
  EXPECT_EQ(message.server().queue().target().nanos(), 50000000);
  EXPECT_EQ(message.server().methods(0).max_concurrent_calls(), 2);

  // And forbear reads what they write.
  std::string text;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(message, &text).ok());
  const auto again = ParsePolicy(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(WritePolicy(*again), json);
  const auto from_text = ParsePolicy(message.DebugString());
  ASSERT_TRUE(from_text.ok()) << from_text.status();
  EXPECT_EQ(WritePolicy(*from_text), json);
}

}  // namespace
}  // namespace forbear
