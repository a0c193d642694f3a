// What is to be known of a storm by who reads no further.
//
//   std::puts(InShort(story).attempts.c_str());
//
// Thread-safety: a pure function.
// Units:         written in it.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_IN_SHORT_H_
#define FORBEAR_EXAMPLES_STORM_IN_SHORT_H_

#include <string>

#include "examples/storm/story.h"

namespace storm {

// Sentences about its first course and its last.
struct Short {
  std::string attempts;
  std::string outcome;
};
Short InShort(const Story& story);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_IN_SHORT_H_
