#include "examples/page/ticks.h"

#include <algorithm>
#include <cmath>

namespace page {
namespace {

double Step(double length, int most) {
  const double least = length / most;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    // A hair's breadth, for the sake of rounding.
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> Ticks(double from, double until, int most) {
  if (!(until > from)) return {from};
  const double step = Step(until - from, most);
  std::vector<double> ticks;
  const double last = std::floor(until / step + 1e-9);
  for (double n = std::ceil(from / step - 1e-9); n <= last; ++n) {
    ticks.push_back(n * step);
  }
  return ticks;
}

int Digits(const std::vector<double>& ticks) {
  if (ticks.size() < 2) return 0;
  const double step = ticks[1] - ticks[0];
  return std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
}

}  // namespace page
