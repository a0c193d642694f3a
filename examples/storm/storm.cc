// An outage of routes, by hand and with forbear, on real servers.
//
//   bazel/demo
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "examples/shop/flags.h"
#include "examples/storm/course.h"
#include "examples/storm/plan.h"
#include "examples/storm/table.h"
#include "tools/cpp/runfiles/runfiles.h"

namespace {

using bazel::tools::cpp::runfiles::Runfiles;

// The exit status: as a shell's after Ctrl-C where the user wanted out.
int Failed(const absl::Status& status) {
  std::fprintf(stderr, "storm: %s\n", std::string(status.message()).c_str());
  return absl::IsCancelled(status) ? 130 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  shop::ParseFlagsOrExit(argc, argv);
  storm::Interrupt interrupt;
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(argv[0], &error));
  if (runfiles == nullptr) return Failed(absl::NotFoundError(error));
  const auto find = [&](const std::string& name) {
    return runfiles->Rlocation("forbear/examples/" + name + "/" + name);
  };

  const auto by_hand =
      storm::RunCourse(find, storm::Manner::kByHand, &interrupt);
  if (!by_hand.ok()) return Failed(by_hand.status());
  const auto forbear =
      storm::RunCourse(find, storm::Manner::kForbear, &interrupt);
  if (!forbear.ok()) return Failed(forbear.status());
  std::fputs(storm::Table(*by_hand, *forbear).c_str(), stdout);
  return 0;
}
