// All that parts 1 to 5 find.
//
//   const Report report = MakeReport(plan);
//   std::fputs(Tables(report).c_str(), stdout);
//
// Thread-safety: pure functions.
// Units:         as those of the parts.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_REPORT_H_
#define FORBEAR_EXAMPLES_LAB_REPORT_H_

#include <vector>

#include "examples/lab/budget.h"
#include "examples/lab/deadline.h"
#include "examples/lab/herd.h"
#include "examples/lab/layers.h"
#include "examples/lab/payment.h"

namespace lab {

struct Report {
  struct Rule {
    forbear::Jitter jitter;
    HerdFigures figures;
    HerdMeans means;
  };
  struct Layers {
    Stack stack;
    int attempts = 0;
    int with_signal = 0;
  };
  struct Deadline {
    const DeadlineCase* deadline_case;
    forbear::CallTrace trace;
  };
  struct Timers {
    int together = 0;
    int spread = 0;
  };

  HerdPlan plan;
  std::vector<Rule> herd;
  std::vector<Layers> layers;
  BudgetFigures without_budget;
  BudgetFigures with_budget;
  std::vector<Deadline> deadline;
  PaymentFigures without_key;
  PaymentFigures with_key;
  PaymentFigures unsaid;
  Timers periodic;
  Timers sweep;
};

Report MakeReport(const HerdPlan& plan);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_REPORT_H_
