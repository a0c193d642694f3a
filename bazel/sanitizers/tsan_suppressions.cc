// What ThreadSanitizer lets be, in programs of --config=tsan.
//
// Debian's libraries are not instrumented: what one of them does to its own
// memory by malloc, memcpy or epoll_wait looks like a race. So what they call
// is not looked at. What our code does is, gRPC's inline code included.

extern "C" const char* __tsan_default_suppressions() {
  return
      // Each is reached from grpc_completion_queue_next and its like.
      "called_from_lib:libabsl_base.so\n"
      "called_from_lib:libabsl_cord.so\n"
      "called_from_lib:libabsl_cord_internal.so\n"
      "called_from_lib:libabsl_random_internal_pool_urbg.so\n"
      "called_from_lib:libabsl_status.so\n"
      "called_from_lib:libabsl_statusor.so\n"
      "called_from_lib:libabsl_str_format_internal.so\n"
      "called_from_lib:libabsl_strings.so\n"
      "called_from_lib:libaddress_sorting.so\n"
      "called_from_lib:libcares.so\n"
      "called_from_lib:libcrypto.so\n"
      "called_from_lib:libgpr.so\n"
      "called_from_lib:libgrpc++.so\n"
      "called_from_lib:libgrpc.so\n"
      "called_from_lib:libprotobuf.so\n"
      "called_from_lib:libre2.so\n"
      "called_from_lib:libssl.so\n"
      "called_from_lib:libupb.so\n"
      // The bidi handler of generic services: its operations end on several
      // threads, and whoever ends the last one destroys them.
      "race:CallbackBidiHandler*::~ServerCallbackReaderWriterImpl\n"
      // absl::Mutex keeps a graph of locks under a spin lock of its own.
      "called_from_lib:libabsl_graphcycles_internal.so\n"
      "called_from_lib:libabsl_synchronization.so\n"
      // grpc_core::Thread::Thread: gRPC ends its threads after main.
      "thread:libgpr.so\n";
}
