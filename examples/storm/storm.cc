// A bad evening of the shop, by hand and with forbear, on real servers.
//
//   bazel/demo                 # Both, in under a minute.
//   bazel/demo --noquick       # And what each measure buys, in three.
//   bazel/demo --policy=FILE   # With your own policy for calls of routes.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "examples/page/file.h"
#include "examples/shop/flags.h"
#include "examples/shop/manner.h"
#include "examples/storm/course.h"
#include "examples/storm/live.h"
#include "examples/storm/story.h"
#include "examples/storm/story_json.h"
#include "examples/storm/story_page.h"
#include "examples/storm/table.h"
#include "interceptors/policy_file/load_policy.h"
#include "tools/cpp/runfiles/runfiles.h"

ABSL_FLAG(bool, quick, false,
          "true or false: whether to leave out what comes between by hand and "
          "all of forbear");
ABSL_FLAG(bool, live, false,
          "true or false: whether to show what happens while it does");
ABSL_FLAG(std::string, policy, "",
          "a policy file: forbear's calls of routes go by it; empty: by the "
          "shop's own");
ABSL_FLAG(
    std::string, html, "storm.html",
    "a file: it is written anew, as a page of what happened; empty: none");
ABSL_FLAG(std::string, json, "",
          "a file: it is written anew, with the figures as JSON");

namespace {

using bazel::tools::cpp::runfiles::Runfiles;
using shop::Manner;

// The exit status: as a shell's after Ctrl-C where the user wanted out.
int Failed(const absl::Status& status) {
  std::fprintf(stderr, "storm: %s\n", std::string(status.message()).c_str());
  return absl::IsCancelled(status) ? 130 : 1;
}

// Where dispatch finds it; none that it could not read.
std::string PolicyOrExit() {
  const std::string given = absl::GetFlag(FLAGS_policy);
  if (given.empty()) return "";
  const std::string path = page::FromWhereTheUserStands(given);
  const absl::StatusOr<forbear::Policy> policy = forbear::LoadPolicy(path);
  if (!policy.ok()) shop::ExitWrongValue(policy.status().message());
  return path;
}

std::vector<Manner> Manners() {
  if (absl::GetFlag(FLAGS_quick)) return {Manner::kBare, Manner::kForbear};
  std::vector<Manner> all;
  for (int i = 0; i < shop::kManners; ++i) {
    all.push_back(static_cast<Manner>(i));
  }
  return all;
}

absl::StatusOr<storm::Story> Run(const storm::ShopProcesses::Find& find,
                                 const std::string& policy,
                                 storm::Interrupt* interrupt) {
  storm::Story story;
  story.set_up = storm::SetUp();
  for (const Manner manner : Manners()) {
    storm::Live live(stdout, storm::TerminalWidth(stdout));
    storm::WhileItRuns told;
    if (absl::GetFlag(FLAGS_live)) {
      told = [&](const storm::Course& so_far) { live.Show(so_far); };
    }
    absl::StatusOr<storm::Course> course =
        storm::RunCourse(find, {manner, policy}, interrupt, told);
    if (!course.ok()) return course.status();
    if (told != nullptr) told(*course);  // All of it, what came late included.
    story.courses.push_back(*std::move(course));
  }
  return story;
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
  const std::string policy = PolicyOrExit();
  storm::Interrupt interrupt;
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(argv[0], &error));
  if (runfiles == nullptr) return Failed(absl::NotFoundError(error));
  const auto find = [&](const std::string& name) {
    return runfiles->Rlocation("forbear/examples/" + name + "/" + name);
  };
  const absl::StatusOr<storm::Story> story = Run(find, policy, &interrupt);
  if (!story.ok()) return Failed(story.status());
  std::fputs(storm::Table(*story).c_str(), stdout);
  const absl::Status written = Write(*story);
  return written.ok() ? 0 : Failed(written);
}
