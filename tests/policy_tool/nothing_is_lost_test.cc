// Each field of proto/policy.proto is in what `convert` writes, or is told:
// none is dropped in silence, whatever fields there will be.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "examples/policy/convert.h"
#include "interceptors/policy_file/load_policy.h"
#include "interceptors/policy_file/policy_writer.h"
#include "proto/policy.pb.h"

namespace policy_tool {
namespace {

using forbear::v1::MethodPolicy;
using google::protobuf::Duration;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Other = std::function<void(Message&)>;

// Every field means something to one of these methods.
constexpr char kPolicy[] = R"({
  "methods": [
    {"name": [{"service": "a.S", "method": "Retries"}], "repeatable": true},
    {"name": [{"service": "a.S", "method": "Hedges"}], "repeatable": true,
     "hedging": {"maxAttempts": 4, "delay": "0.01s", "percentile": 0.5,
                 "assumeRead": true}},
    {"name": [{"service": "a.S", "method": "Once"}], "maxAttempts": 1,
     "attemptTimeout": "0.5s"}],
  "targets": [{"target": "a:1", "budget": {}}],
  "server": {"maxConcurrentCalls": 9,
             "methods": [{"name": [{"service": "a.S", "method": "Retries"}],
                          "maxConcurrentCalls": 4}]}})";

// What a call that is sent once does not ask for.
bool HasNoMeaning(absl::string_view place) {
  for (absl::string_view begin :
       {"methods[2].backoff.", "methods[2].repeatable", "methods[2].classes",
        "methods[2].retryable_codes"}) {
    if (absl::StartsWith(place, begin)) return true;
  }
  return false;
}

bool IsDuration(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field.message_type() == Duration::descriptor();
}

// One more item of a list.
std::vector<Other> Additions(const FieldDescriptor& field) {
  return {[&field](Message& message) {
    const Reflection& reflection = *message.GetReflection();
    if (field.is_map()) {
      // Not by reflection: under tsan a map is not as libprotobuf knows it.
      ASSERT_EQ(field.full_name(), "forbear.v1.MethodPolicy.classes");
      auto& classes = *static_cast<MethodPolicy&>(message).mutable_classes();
      classes["DATA_LOSS"] = forbear::v1::LISTED;
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      reflection.AddEnumValue(&message, &field, forbear::v1::DATA_LOSS);
    } else {
      reflection.AddString(&message, &field, "else");
    }
  }};
}

// Some values of the field's type; not all are legal.
std::vector<Other> OtherValues(const FieldDescriptor& field) {
  if (field.is_repeated()) return Additions(field);
  std::vector<Other> values;
  const auto add = [&](auto set) {
    values.push_back([&field, set](Message& message) {
      set(*message.GetReflection(), &message, &field);
    });
  };
  for (int i = 0; i < 8; ++i) {
    add([i](const Reflection& on, Message* message, auto* field) {
      switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_DOUBLE:
          return on.SetDouble(message, field, i < 4 ? 0.6 + 0.1 * i : i);
        case FieldDescriptor::CPPTYPE_INT32:
          return on.SetInt32(message, field, i + 2);
        case FieldDescriptor::CPPTYPE_BOOL:
          return on.SetBool(message, field, i % 2 == 0);
        case FieldDescriptor::CPPTYPE_ENUM:
          return on.SetEnumValue(message, field, i);
        case FieldDescriptor::CPPTYPE_STRING:
          return on.SetString(message, field, "else");
        case FieldDescriptor::CPPTYPE_MESSAGE:
          return static_cast<Duration*>(on.MutableMessage(message, field))
              ->set_nanos(i < 4 ? 2'000'000 * (i + 1) : 200'000'000);
        default:
          FAIL() << field->full_name() << " is of a type that is new here";
      }
    });
  }
  return values;
}

class Walk {
 public:
  explicit Walk(Format format) : format_(format) {
    const auto status =
        google::protobuf::util::JsonStringToMessage(kPolicy, &policy_);
    EXPECT_TRUE(status.ok()) << status;
    before_ = ParsedNow().value();
    Visit(policy_, "", "");
  }

  std::vector<std::string> untold;
  std::set<std::string> all;      // Fields, wherever they stand.
  std::set<std::string> changed;  // Of those, what could be changed.

 private:
  absl::StatusOr<forbear::Policy> ParsedNow() const {
    std::string json;
    const auto status =
        google::protobuf::util::MessageToJsonString(policy_, &json);
    EXPECT_TRUE(status.ok()) << status;
    return forbear::ParsePolicy(json);
  }

  // All that a user gets to see.
  std::string Told(const forbear::Policy& policy) const {
    const Conversion result = Convert(policy, format_, "cluster");
    return absl::StrCat(result.text, absl::StrJoin(result.lost, "\n"));
  }

  // `place` has indexes ("methods[2].mode"), `name` has none.
  void Visit(Message& message, const std::string& place,
             const std::string& name) {
    const Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor& field = *message.GetDescriptor()->field(i);
      const std::string at = place + field.name();
      const std::string named = name + field.name();
      if (field.is_map() || IsDuration(field) ||
          field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
        Change(message, field, at, named);
      } else if (field.is_repeated()) {
        for (int k = 0; k < reflection.FieldSize(message, &field); ++k) {
          Visit(*reflection.MutableRepeatedMessage(&message, &field, k),
                absl::StrCat(at, "[", k, "]."), named + ".");
        }
      } else {
        const bool present = reflection.HasField(message, &field);
        Visit(*reflection.MutableMessage(&message, &field), at + ".",
              named + ".");
        if (!present) reflection.ClearField(&message, &field);
      }
    }
  }

  // Gives the field other values until one is legal, and means something else.
  void Change(Message& message, const FieldDescriptor& field,
              const std::string& place, const std::string& name) {
    all.insert(name);
    const std::string kept = message.SerializeAsString();
    for (const Other& other : OtherValues(field)) {
      other(message);
      const auto now = ParsedNow();
      const bool legal = now.ok() && forbear::WritePolicy(*now) !=
                                         forbear::WritePolicy(before_);
      if (legal && Told(*now) == Told(before_) && !HasNoMeaning(place)) {
        untold.push_back(place);
      }
      message.ParseFromString(kept);
      if (!legal) continue;
      changed.insert(name);
      return;
    }
  }

  const Format format_;
  forbear::v1::Policy policy_;
  forbear::Policy before_;
};

class NothingIsLostTest : public ::testing::TestWithParam<Format> {};

INSTANTIATE_TEST_SUITE_P(Formats, NothingIsLostTest,
                         ::testing::Values(Format::kForbear,
                                           Format::kServiceConfig,
                                           Format::kEnvoy));

TEST_P(NothingIsLostTest, OfAnyFieldOfTheSchema) {
  const Walk walk(GetParam());
  EXPECT_THAT(walk.untold, ::testing::IsEmpty());
  EXPECT_EQ(walk.changed, walk.all);
  EXPECT_GE(walk.all.size(), 60);
}

}  // namespace
}  // namespace policy_tool
