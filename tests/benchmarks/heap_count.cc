#include "tests/benchmarks/heap_count.h"

#include <atomic>
#include <cstddef>

namespace {

std::atomic<int64_t> allocations{0};

void Count() { allocations.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

// glibc keeps its own functions under these names, for programs that replace
// the public ones.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);

void* malloc(size_t size) {
  Count();
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  Count();
  return __libc_calloc(count, size);
}
void* realloc(void* block, size_t size) {
  Count();
  return __libc_realloc(block, size);
}
}

namespace forbear {
namespace benchmarks {

int64_t Allocations() { return allocations.load(std::memory_order_relaxed); }

}  // namespace benchmarks
}  // namespace forbear
