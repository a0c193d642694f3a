// Counts what the whole process allocates on the heap, in any library.
#ifndef FORBEAR_TESTS_BENCHMARKS_HEAP_COUNT_H_
#define FORBEAR_TESTS_BENCHMARKS_HEAP_COUNT_H_

#include <cstdint>

namespace forbear {
namespace benchmarks {

// Calls of malloc and its like so far, by all threads.
int64_t Allocations();

}  // namespace benchmarks
}  // namespace forbear

#endif  // FORBEAR_TESTS_BENCHMARKS_HEAP_COUNT_H_
