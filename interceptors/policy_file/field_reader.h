// Reads the fields of one object of a policy file into their places.
//
//   FieldReader reader(tree, "methods[2]", &problems);
//   VisitFields(policy, reader);
//   reader.RefuseRest();
//
// Thread-safety: thread-compatible.
// Units:         absl::Duration.
// Errors:        go to `problems`; a field that is wrong keeps its default.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_FIELD_READER_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_FIELD_READER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "interceptors/policy/status_class.h"
#include "interceptors/policy_file/policy_fields.h"
#include "interceptors/policy_file/problems.h"
#include "interceptors/policy_file/tree.h"
#include "interceptors/policy_file/tree_object.h"
#include "interceptors/policy_file/tree_values.h"

namespace forbear {

class FieldReader final : public FieldVisitor {
 public:
  FieldReader(const Tree& tree, std::string place, Problems* problems);

  // The object itself, for fields that no visitor knows.
  TreeObject& object() { return objects_.back(); }
  void RefuseRest() { objects_.back().RefuseRest(); }

  void Duration(absl::string_view name, absl::Duration& value,
                DurationRange range) override;
  void Number(absl::string_view name, double& value,
              NumberRange range) override;
  void Whole(absl::string_view name, int64_t& value,
             NumberRange range) override;
  void Flag(absl::string_view name, bool& value) override;
  void MaybeFlag(absl::string_view name, std::optional<bool>& value) override;
  void Choice(absl::string_view name, int& value,
              absl::Span<const absl::string_view> names) override;
  void Texts(absl::string_view name, std::vector<std::string>& value) override;
  void Classes(StatusClasses& value) override;
  void Refuse(absl::string_view name, absl::string_view why) override;
  bool Enter(absl::string_view name, bool present) override;
  void Leave() override;

 private:
  std::optional<int> Choose(const Tree& tree, absl::string_view place,
                            absl::Span<const absl::string_view> names);
  // `given`: the codes that have their class.
  void SetClass(const Tree& code, const Tree& value, absl::string_view place,
                std::set<absl::StatusCode>& given, StatusClasses& classes);

  Problems* const problems_;
  std::vector<TreeObject> objects_;  // The innermost last.
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_FIELD_READER_H_
