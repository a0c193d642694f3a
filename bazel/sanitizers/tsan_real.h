// How a function that stands before a library's own finds that one.
//
//   void Mutex::Lock() {
//     static const auto real = Real<void (*)(Mutex*)>("_ZN...4LockEv");
//     real(this);
//   }
#ifndef FORBEAR_BAZEL_SANITIZERS_TSAN_REAL_H_
#define FORBEAR_BAZEL_SANITIZERS_TSAN_REAL_H_

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

// The function of this symbol in the libraries that come after this program.
// Ends the program where a library of another version has none.
template <typename Function>
Function Real(const char* symbol) {
  void* const real = dlsym(RTLD_NEXT, symbol);
  if (real == nullptr) {
    std::fprintf(stderr, "bazel/sanitizers: no library has %s\n", symbol);
    std::abort();
  }
  return reinterpret_cast<Function>(real);
}

#endif  // FORBEAR_BAZEL_SANITIZERS_TSAN_REAL_H_
