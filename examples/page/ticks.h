// Where an axis has its marks.
//
//   Ticks(0, 370, 4)   // 0, 100, 200, 300
//
// Thread-safety: pure functions.
// Units:         the axis's.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_PAGE_TICKS_H_
#define FORBEAR_EXAMPLES_PAGE_TICKS_H_

#include <vector>

namespace page {

// Whole multiples of 1, 2 or 5 times a power of ten that lie from `from` to
// `until`: at most `most` + 1. An axis without length has one mark.
std::vector<double> Ticks(double from, double until, int most);

// How many digits after the point tell such marks apart.
int Digits(const std::vector<double>& ticks);

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_TICKS_H_
