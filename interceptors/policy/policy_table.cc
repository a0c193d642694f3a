#include "interceptors/policy/policy_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace forbear {
namespace {

// "package.Service/Method" or "package.Service".
bool CanMatch(absl::string_view name) {
  const size_t slash = name.find('/');
  if (slash == absl::string_view::npos) return true;
  return slash > 0 && slash + 1 < name.size() &&
         name.find('/', slash + 1) == absl::string_view::npos;
}

}  // namespace

void PolicyTable::Set(absl::string_view name, const MethodPolicy& policy) {
  absl::ConsumePrefix(&name, "/");
  if (name.empty()) {
    everywhere_ = policy;
  } else {
    by_name_.insert_or_assign(std::string(name), policy);
  }
}

std::vector<std::string> PolicyTable::names() const {
  std::vector<std::string> names;
  for (const auto& entry : by_name_) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

const MethodPolicy* PolicyTable::Find(absl::string_view name) const {
  if (name.empty()) return &everywhere_;
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

const MethodPolicy& PolicyTable::For(absl::string_view method) const {
  if (by_name_.empty()) return everywhere_;
  absl::ConsumePrefix(&method, "/");
  auto found = by_name_.find(method);
  if (found == by_name_.end()) {
    found = by_name_.find(method.substr(0, method.rfind('/')));
  }
  return found == by_name_.end() ? everywhere_ : found->second;
}

absl::Status PolicyTable::Validate() const {
  const absl::Status everywhere = everywhere_.Validate();
  if (!everywhere.ok()) return everywhere;
  // Sorted, so that the same table gives the same error every time.
  for (const std::string& name : names()) {
    if (!CanMatch(name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, ": is neither package.Service/Method nor package.Service"));
    }
    const absl::Status valid =
        by_name_.find(name)->second.Validate(absl::StrCat(name, ": "));
    if (!valid.ok()) return valid;
  }
  return absl::OkStatus();
}

}  // namespace forbear
