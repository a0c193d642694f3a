// Parts 3 to 5 of the lab's page: the deadline, the payment, the timers.
//
//   frame.sections.push_back(DeadlineSection(report));
//
// Thread-safety: pure functions.
// Units:         written beside each figure.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_CALL_SECTIONS_H_
#define FORBEAR_EXAMPLES_LAB_CALL_SECTIONS_H_

#include "examples/lab/report.h"
#include "examples/page/frame.h"

namespace lab {

page::Section DeadlineSection(const Report& report);
page::Section PaymentAndTimersSection(const Report& report);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_CALL_SECTIONS_H_
