// A storm as a page, which tells all of it: in one sentence, in pictures, and
// in numbers.
//
//   absl::Status status = WritePage(story, "storm.html");
//
// Thread-safety: pure functions, but for the file.
// Units:         written beside each figure.
// Errors:        a Status that names the file that cannot be written.
#ifndef FORBEAR_EXAMPLES_STORM_STORY_PAGE_H_
#define FORBEAR_EXAMPLES_STORM_STORY_PAGE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "examples/storm/story.h"

namespace storm {

// Of a story with one course at least.
std::string StoryPage(const Story& story);

absl::Status WritePage(const Story& story, absl::string_view path);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_STORY_PAGE_H_
