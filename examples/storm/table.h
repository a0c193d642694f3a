// Two storms side by side.
//
//   std::fputs(Table(by_hand, forbear).c_str(), stdout);
//
// Thread-safety: a pure function.
// Units:         written beside each figure.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_TABLE_H_
#define FORBEAR_EXAMPLES_STORM_TABLE_H_

#include <string>

#include "examples/storm/figures.h"

namespace storm {

// What ran where, and what was offered: sentences.
std::string SetUp();

std::string Table(const Figures& by_hand, const Figures& forbear);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_TABLE_H_
