// What a call holds while it waits: for an answer, or to be tried again.
#ifndef FORBEAR_TESTS_BENCHMARKS_WAITING_H_
#define FORBEAR_TESTS_BENCHMARKS_WAITING_H_

#include "tests/benchmarks/echo.h"

namespace forbear {
namespace benchmarks {

// Bytes of the heap per call that waits for its answer, of 64-byte calls with a
// callback stub; client and server together.
double BytesInFlight(const Echo& echo, const Stubs& stubs);

// The same for a call of ours that waits to be tried again: the server has none
// of it then.
double BytesInBackoff(const Echo& echo);

}  // namespace benchmarks
}  // namespace forbear

#endif  // FORBEAR_TESTS_BENCHMARKS_WAITING_H_
