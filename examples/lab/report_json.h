// The report as JSON: the same figures as the tables'.
//
//   std::puts(ReportJson(report).text().c_str());
//
// Thread-safety: a pure function.
// Units:         names that end in _ms are whole milliseconds.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_REPORT_JSON_H_
#define FORBEAR_EXAMPLES_LAB_REPORT_JSON_H_

#include "examples/lab/json.h"
#include "examples/lab/report.h"

namespace lab {

// {"herd": {"none": {"calls": 550, ..., "mean": {...}}, ...}, "layers": [...],
//  "budget": ..., "deadline": ..., "payment": ..., "timers": ...}
Json ReportJson(const Report& report);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_REPORT_JSON_H_
