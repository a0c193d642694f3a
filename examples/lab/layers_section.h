// Part 2 of the lab's page: the layers, and the budget.
//
//   frame.sections.push_back(LayersSection(report));
//
// Thread-safety: pure functions.
// Units:         written beside each figure.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_LAYERS_SECTION_H_
#define FORBEAR_EXAMPLES_LAB_LAYERS_SECTION_H_

#include <string>

#include "examples/lab/layers.h"
#include "examples/lab/report.h"
#include "examples/page/frame.h"

namespace lab {

page::Section LayersSection(const Report& report);

// Such as "3 layers of 2 retries".
std::string StackName(const Stack& stack);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_LAYERS_SECTION_H_
