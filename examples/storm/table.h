// A storm's figures as text, for the terminal.
//
//   std::fputs(Table(story).c_str(), stdout);
//
// Two courses stand side by side, with every figure. Of more, each has a row,
// so that it shows what its measure buys.
//
// Thread-safety: pure functions.
// Units:         written beside each figure.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_TABLE_H_
#define FORBEAR_EXAMPLES_STORM_TABLE_H_

#include <string>

#include "examples/storm/story.h"

namespace storm {

// Sentences: what ran where, and what was offered.
std::string SetUp();

std::string Table(const Story& story);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_TABLE_H_
