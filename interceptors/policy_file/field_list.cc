#include "interceptors/policy_file/field_list.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "interceptors/policy_file/json_writer.h"
#include "interceptors/policy_file/policy_fields.h"
#include "interceptors/policy_file/tree_values.h"

namespace forbear {
namespace {

class Lister final : public FieldVisitor {
 public:
  std::vector<FieldValue> Result() && { return std::move(fields_); }

  void Duration(absl::string_view name, absl::Duration& value,
                DurationRange) override {
    Add(name,
        TextTree(value == absl::InfiniteDuration() ? "none"
                                                   : WriteDuration(value)));
  }
  void Number(absl::string_view name, double& value, NumberRange) override {
    Add(name, NumberTree(value));
  }
  void Whole(absl::string_view name, int64_t& value, NumberRange) override {
    Tree tree = NumberTree(absl::StrCat(value));
    tree.number = static_cast<double>(value);
    Add(name, std::move(tree));
  }
  void Flag(absl::string_view name, bool& value) override {
    Add(name, FlagTree(value));
  }
  void MaybeFlag(absl::string_view name, std::optional<bool>& value) override {
    if (value) Add(name, FlagTree(*value));
  }
  void Choice(absl::string_view name, int& value,
              absl::Span<const absl::string_view> names) override {
    Add(name, TextTree(names[value]));
  }
  void Texts(absl::string_view name, std::vector<std::string>& value) override {
    Tree list = EmptyList();
    for (const std::string& text : value) Put(list, TextTree(text));
    Add(name, std::move(list));
  }
  void Classes(StatusClasses& value) override;
  void Refuse(absl::string_view, absl::string_view) override {}
  bool Enter(absl::string_view name, bool present) override {
    if (present) absl::StrAppend(&prefix_, name, ".");
    return present;
  }
  void Leave() override {
    prefix_.pop_back();
    prefix_.resize(prefix_.rfind('.') + 1);  // npos + 1 is 0.
  }

 private:
  void Add(absl::string_view name, Tree value) {
    fields_.push_back({absl::StrCat(prefix_, name), std::move(value)});
  }

  std::string prefix_;
  std::vector<FieldValue> fields_;
};

// "retryable_codes" if each code is listed or permanent, else all classes.
void Lister::Classes(StatusClasses& value) {
  std::vector<absl::StatusCode> listed;
  StatusClasses only_listed;
  for (int i = 1; i <= 16; ++i) {
    const auto code = static_cast<absl::StatusCode>(i);
    if (value.Of(code) == StatusClass::kListed) listed.push_back(code);
  }
  only_listed.List(listed);
  if (!listed.empty() && value == only_listed) {
    Tree codes = EmptyList();
    for (absl::StatusCode code : listed) Put(codes, TextTree(WriteCode(code)));
    Add("retryable_codes", std::move(codes));
    return;
  }
  for (int i = 1; i <= 16; ++i) {
    const auto code = static_cast<absl::StatusCode>(i);
    Add(absl::StrCat("classes.", WriteCode(code)),
        TextTree(kClassNames[static_cast<int>(value.Of(code))]));
  }
}

template <typename Options>
std::vector<FieldValue> List(Options& options) {
  Lister lister;
  VisitFields(options, lister);
  return std::move(lister).Result();
}

}  // namespace

std::vector<FieldValue> ListFields(MethodPolicy policy) { return List(policy); }
std::vector<FieldValue> ListFields(RetryBudgetOptions budget) {
  return List(budget);
}
std::vector<FieldValue> ListFields(ServerOptions server) {
  return List(server);
}
std::vector<FieldValue> ListFields(ServerMethodOptions method) {
  return List(method);
}

std::vector<FieldValue> Differences(const std::vector<FieldValue>& fields,
                                    const std::vector<FieldValue>& others) {
  std::vector<FieldValue> different;
  for (const FieldValue& field : fields) {
    const auto same = std::find_if(
        others.begin(), others.end(), [&](const FieldValue& other) {
          return other.name == field.name &&
                 WriteJson(other.value) == WriteJson(field.value);
        });
    if (same == others.end()) different.push_back(field);
  }
  return different;
}

bool GivesWayToHedging(const FieldValue& field) {
  return absl::StartsWith(field.name, "backoff.") ||
         field.name == "attempts_until_deadline" ||
         (field.name == "max_attempts" && field.value.number != 1);
}

std::string InWords(const std::vector<FieldValue>& fields) {
  return absl::StrJoin(fields, ", ", [](std::string* out, const auto& field) {
    std::string value = field.value.text;
    if (field.value.kind != Tree::Kind::kText) {
      value = WriteJson(field.value);
      absl::StripTrailingAsciiWhitespace(&value);
    }
    absl::StrAppend(out, field.name, " ", value);
  });
}

}  // namespace forbear
