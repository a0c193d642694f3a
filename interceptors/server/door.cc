#include "interceptors/server/door.h"

#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace forbear {
namespace {

// No handler of gRPC's gives such details.
constexpr absl::string_view kAtTheDoor = "forbear: refused at the door ";

}  // namespace

grpc::Status RefusedAtTheDoor(absl::Duration pushback) {
  return grpc::Status(
      grpc::StatusCode::RESOURCE_EXHAUSTED, "",
      absl::StrCat(kAtTheDoor, absl::ToInt64Milliseconds(pushback)));
}

absl::optional<absl::Duration> PushbackAtTheDoor(const grpc::Status& status) {
  const std::string details = status.error_details();
  absl::string_view rest = details;
  int64_t ms;
  if (!absl::ConsumePrefix(&rest, kAtTheDoor) || !absl::SimpleAtoi(rest, &ms)) {
    return absl::nullopt;
  }
  return absl::Milliseconds(ms);
}

}  // namespace forbear
