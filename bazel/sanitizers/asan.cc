// What AddressSanitizer's leak check lets be, in programs of --config=asan.

extern "C" const char* __asan_default_options() {
  return "detect_stack_use_after_return=1";
}

extern "C" const char* __lsan_default_suppressions() {
  return
      // ares_getaddrinfo of c-ares 1.18 loses the name of "localhost".
      "leak:libcares.so\n";
}
