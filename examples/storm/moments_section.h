// A storm over time, as a section of its page: two courses side by side, on the
// same scale.
//
//   const std::vector<const Course*> both = {&bare, &forbear};
//   frame.lead += page::Html(AttemptsFigure(both));
//   frame.sections.push_back(MomentsSection(both));
//
// Thread-safety: pure functions.
// Units:         written beside each axis.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_MOMENTS_SECTION_H_
#define FORBEAR_EXAMPLES_STORM_MOMENTS_SECTION_H_

#include <vector>

#include "examples/page/frame.h"
#include "examples/storm/story.h"

namespace storm {

// Attempts that reached routes, against orders offered.
page::Figure AttemptsFigure(const std::vector<const Course*>& courses);

// Good answers, the balance of the budget, and work for nobody.
page::Section MomentsSection(const std::vector<const Course*>& courses);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_MOMENTS_SECTION_H_
