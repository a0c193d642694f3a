// The report as tables.
//
//   std::fputs(Tables(report).c_str(), stdout);
//
// Thread-safety: a pure function.
// Units:         written beside each figure.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_TABLES_H_
#define FORBEAR_EXAMPLES_LAB_TABLES_H_

#include <string>

#include "examples/lab/report.h"

namespace lab {

std::string Tables(const Report& report);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_TABLES_H_
