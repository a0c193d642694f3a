#include "interceptors/policy_file/method_names.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy_file/tree_values.h"

namespace forbear {
namespace {

std::string TextField(TreeObject& object, absl::string_view name,
                      Problems* problems) {
  const Tree* const found = object.Find(name);
  if (found == nullptr) return "";
  const std::string place = object.Place(name);
  const std::string text = ReadName(*found, place, problems).value_or("");
  if (text.find('/') == std::string::npos) return text;
  problems->Error(place, absl::StrCat(found->Show(),
                                      " has a slash: service and method are "
                                      "fields of their own"));
  return "";
}

std::string Shown(const std::string& name) {
  return name.empty() ? "{} (everything)" : InOneLine(name);
}

}  // namespace

std::vector<std::string> MethodNames::Read(TreeObject& entry) {
  std::vector<std::string> names;
  const auto list = entry.List("name");
  for (const auto& [tree, place] : list) ReadOne(*tree, place, names);
  if (list.empty() && entry.is_object()) {
    problems_->Error(entry.Place("name"),
                     "names nothing: write {\"service\": ..., \"method\": "
                     "...}, {\"service\": ...}, or {} for everything");
  }
  return names;
}

void MethodNames::ReadOne(const Tree& tree, const std::string& place,
                          std::vector<std::string>& names) {
  const int errors = problems_->errors();
  TreeObject object(tree, place, problems_);
  const std::string service = TextField(object, "service", problems_);
  const std::string method = TextField(object, "method", problems_);
  object.RefuseRest();
  if (problems_->errors() != errors) return;
  if (service.empty() && !method.empty()) {
    problems_->Error(place, absl::StrCat("names the method ", InOneLine(method),
                                         " of no service: add its service"));
    return;
  }
  std::string name =
      method.empty() ? service : absl::StrCat(service, "/", method);
  const auto [known, first] = places_.try_emplace(name, place);
  if (!first) {
    problems_->Error(place, absl::StrCat(Shown(name), " was named before, at ",
                                         known->second));
    return;
  }
  names.push_back(std::move(name));
}

}  // namespace forbear
