// A whole storm as it went: every course of it over time, to be drawn.
//
//   Story story;
//   story.courses.push_back(bare);  // First; forbear comes last.
//   for (const Moment& moment : bare.moments) { ... }
//
// All instants are times since the course's first order was due.
//
// Thread-safety: values.
// Units:         absl::Duration; orders and attempts are counted, the balance
//                of a budget is in retries.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_STORY_H_
#define FORBEAR_EXAMPLES_STORM_STORY_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "examples/storm/figures.h"

namespace storm {

// 100 ms of a course. Moments follow one another without gaps, from 0 on.
struct Moment {
  absl::Duration at;  // Its start.
  int offered = 0;    // Orders that were due in it.
  int attempts = 0;   // That reached routes in it.
  // Of the orders offered in it, those that were answered in time with a live
  // estimate.
  int good = 0;
  // Of dispatch, at its end. None: it keeps no budget.
  absl::optional<double> budget_balance;
  // Handlers' time in it, over all servers, after their order's customer had
  // left. None: it was not measured.
  absl::optional<absl::Duration> wasted;
};

// A phase as it was, in order, without gaps.
struct PhaseSpan {
  std::string name;  // "healthy", "failing", ...
  absl::Duration from;
  absl::Duration until;
};

// What one process did for an order.
struct Span {
  std::string service;  // "customer", "gateway", "dispatch", "routes", ...
  std::string what;     // "places the order", "attempt 2", "waits", ...
  std::string outcome;  // "OK", "UNAVAILABLE", "gave up", ...
  absl::Duration from;
  absl::Duration until;
};

// A sampled order. Its customer's span comes first, then as they began.
struct OrderLine {
  std::string order;    // Its name.
  std::string outcome;  // "live estimate after 12 ms", "pending", ...
  std::vector<Span> spans;
};

struct Course {
  std::string key;   // "bare", "one_layer", ..., "forbear".
  std::string name;  // "bare", "+ one layer", ..., "forbear".
  Figures figures;
  std::vector<PhaseSpan> phases;
  std::vector<Moment> moments;
  std::vector<OrderLine> orders;  // A few of each phase.
};

struct Story {
  std::string set_up;  // Sentences: what ran where, and what was offered.
  std::vector<Course> courses;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_STORY_H_
