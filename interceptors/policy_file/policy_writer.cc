#include "interceptors/policy_file/policy_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "interceptors/policy_file/field_list.h"
#include "interceptors/policy_file/json_writer.h"
#include "interceptors/policy_file/tree_object.h"

namespace forbear {
namespace {

// Puts "backoff.initial" as `initial` into the object `backoff`.
void PutField(Tree& object, absl::string_view name, const Tree& value) {
  const size_t dot = name.find('.');
  if (dot == absl::string_view::npos) {
    Put(object, CamelCase(name), value);
    return;
  }
  const std::string outer = CamelCase(name.substr(0, dot));
  size_t at = 0;
  while (at < object.names.size() && object.names[at] != outer) ++at;
  Tree& inner = at < object.names.size() ? object.items[at]
                                         : Put(object, outer, EmptyObject());
  const absl::string_view rest = name.substr(dot + 1);
  if (outer == "classes") {
    Put(inner, rest, value);  // A code's name keeps its spelling.
  } else {
    PutField(inner, rest, value);
  }
}

// The fields that are not as they would be without being named.
template <typename Options>
Tree Fields(const Options& options) {
  Tree object = EmptyObject();
  for (const FieldValue& field :
       Differences(ListFields(options), ListFields(Options{}))) {
    PutField(object, field.name, field.value);
  }
  return object;
}

void PutBudget(Tree& file, absl::string_view name,
               const RetryBudgetOptions& budget) {
  Tree fields = Fields(budget);
  if (!fields.items.empty()) Put(file, name, std::move(fields));
}

}  // namespace

Tree NameTree(absl::string_view name) {
  Tree tree = EmptyObject();
  if (name.empty()) return tree;
  const size_t slash = name.find('/');
  Put(tree, "service", TextTree(name.substr(0, slash)));
  if (slash != absl::string_view::npos) {
    Put(tree, "method", TextTree(name.substr(slash + 1)));
  }
  return tree;
}

void MethodEntries::Add(absl::string_view name, const Tree& policy) {
  list_.kind = Tree::Kind::kList;
  const auto [known, first] =
      by_policy_.try_emplace(WriteJson(policy), list_.items.size());
  if (first) {
    Tree& entry = Put(list_, EmptyObject());
    Put(entry, "name", EmptyList());
    for (size_t i = 0; i < policy.items.size(); ++i) {
      Put(entry, policy.names[i], policy.items[i]);
    }
  }
  Put(list_.items[known->second].items.front(), NameTree(name));
}

std::string WritePolicy(const Policy& policy) {
  Tree file = EmptyObject();
  MethodEntries methods;
  const PolicyTable& table = policy.client.methods;
  Tree everywhere = Fields(*table.Find(""));
  if (!everywhere.items.empty()) methods.Add("", everywhere);
  for (const std::string& name : table.names()) {
    methods.Add(name, Fields(*table.Find(name)));
  }
  Put(file, "methods", std::move(methods).Result());
  PutBudget(file, "targetBudget", policy.client.target_budget);
  if (!policy.client.targets.empty()) {
    Tree& targets = Put(file, "targets", EmptyList());
    for (const auto& [target, budget] : policy.client.targets) {
      Tree& entry = Put(targets, EmptyObject());
      Put(entry, "target", TextTree(target));
      Put(entry, "budget", Fields(budget));
    }
  }
  PutBudget(file, "processBudget", policy.client.process_budget);
  Tree server = Fields(policy.server);
  MethodEntries limits;
  for (const auto& [name, limit] : policy.server.methods) {
    limits.Add(name, Fields(limit));
  }
  Tree limited = std::move(limits).Result();
  if (!limited.items.empty()) Put(server, "methods", std::move(limited));
  if (!server.items.empty()) Put(file, "server", std::move(server));
  return WriteJson(file);
}

}  // namespace forbear
