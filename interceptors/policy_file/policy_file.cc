#include "interceptors/policy_file/policy_file.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "interceptors/policy_file/load_policy.h"

namespace forbear {

absl::StatusOr<std::shared_ptr<PolicyFile>> PolicyFile::Open(
    const std::string& path, PolicyFileOptions options) {
  if (!(options.period >= absl::Milliseconds(10) &&
        options.period <= absl::Hours(1))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "PolicyFileOptions.period: ", absl::FormatDuration(options.period),
        " is out of range [10ms, 1h]"));
  }
  absl::StatusOr<std::string> text = ReadPolicyText(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<Policy> policy = ParsePolicy(*text, path);
  if (!policy.ok()) return policy.status();
  auto state = std::make_shared<State>();
  state->path = path;
  state->options = std::move(options);
  state->seen = *std::move(text);
  state->policy = std::make_shared<const Policy>(*std::move(policy));
  return std::shared_ptr<PolicyFile>(new PolicyFile(std::move(state)));
}

PolicyFile::PolicyFile(std::shared_ptr<State> state)
    : state_(std::move(state)),
      watch_(state_->path, state_->options.period,
             [state = state_] { (void)state->Look(); }) {}

std::shared_ptr<const Policy> PolicyFile::policy() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->policy;
}

void PolicyFile::Follow(Follower follower) {
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (follower(*state_->policy)) {
    state_->followers.push_back(std::move(follower));
  }
}

absl::Status PolicyFile::Look() { return state_->Look(); }

absl::Status PolicyFile::State::Look() {
  std::lock_guard<std::mutex> lock(mutex);
  const absl::StatusOr<std::string> text = ReadPolicyText(path);
  const std::string now = text.ok() ? *text : text.status().ToString();
  if (now == seen) return status;
  seen = now;
  absl::StatusOr<Policy> read =
      text.ok() ? ParsePolicy(*text, path) : text.status();
  status = read.status();
  if (!status.ok()) {
    Report();
    return status;
  }
  policy = std::make_shared<const Policy>(*std::move(read));
  followers.erase(std::remove_if(followers.begin(), followers.end(),
                                 [this](const Follower& follower) {
                                   return !follower(*policy);
                                 }),
                  followers.end());
  return status;
}

void PolicyFile::State::Report() const {
  if (options.on_error != nullptr) return options.on_error(status);
  std::cerr << "forbear: the policy stays as it was: " << status.message()
            << "\n";
}

}  // namespace forbear
