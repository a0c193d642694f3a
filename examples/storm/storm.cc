// An outage of routes, by hand and with forbear, on real servers.
//
//   bazel/demo
#include <cstdio>
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "examples/page/file.h"
#include "examples/shop/flags.h"
#include "examples/storm/course.h"
#include "examples/storm/plan.h"
#include "examples/storm/story.h"
#include "examples/storm/story_json.h"
#include "examples/storm/story_page.h"
#include "examples/storm/table.h"
#include "tools/cpp/runfiles/runfiles.h"

ABSL_FLAG(
    std::string, html, "storm.html",
    "a file: it is written anew, as a page of what happened; empty: none");
ABSL_FLAG(std::string, json, "",
          "a file: it is written anew, with the figures as JSON");

namespace {

using bazel::tools::cpp::runfiles::Runfiles;

// The exit status: as a shell's after Ctrl-C where the user wanted out.
int Failed(const absl::Status& status) {
  std::fprintf(stderr, "storm: %s\n", std::string(status.message()).c_str());
  return absl::IsCancelled(status) ? 130 : 1;
}

// The page and the JSON, where they are asked for.
absl::Status Write(const storm::Story& story) {
  const std::string json = absl::GetFlag(FLAGS_json);
  if (!json.empty()) {
    const absl::Status status = page::WriteFile(json, storm::StoryJson(story));
    if (!status.ok()) return status;
  }
  const std::string html = absl::GetFlag(FLAGS_html);
  if (html.empty()) return absl::OkStatus();
  const absl::Status status = storm::WritePage(story, html);
  if (!status.ok()) return status;
  std::printf("\nThe same over time: %s\n",
              page::FromWhereTheUserStands(html).c_str());
  return absl::OkStatus();
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
  std::fputs(storm::Table(by_hand->figures, forbear->figures).c_str(), stdout);

  storm::Story story;
  story.set_up = storm::SetUp();
  story.courses = {*by_hand, *forbear};
  const absl::Status written = Write(story);
  return written.ok() ? 0 : Failed(written);
}
