// The figures of a storm as JSON.
//
//   page::WriteFile("storm.json", StoryJson(story));
//
// {"bare": {"orders": 820, "attempts_per_order": {"healthy": 1, ...}, ...},
//  ..., "forbear": {...}}, with the keys of figure_rows.h.
//
// Thread-safety: a pure function.
// Units:         shares from 0 to 1; null for what was not seen.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_STORY_JSON_H_
#define FORBEAR_EXAMPLES_STORM_STORY_JSON_H_

#include <string>

#include "examples/storm/story.h"

namespace storm {

std::string StoryJson(const Story& story);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_STORY_JSON_H_
