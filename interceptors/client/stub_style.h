// What a channel knows of the stub whose call it is creating.
//
// An interceptor is made deep inside the creation of its call, and is not told;
// the front channel says it here, on the same thread.
//
//   StubStyle style(/*generic=*/true);          // In the channel.
//   if (StubStyle::InCreation().generic) ...    // In the factory.
//
// Not part of the library's API.
//
// Thread-safety: belongs to the thread that made it.
// Units:         none.
// Errors:        none; without a front channel a stub counts as generated.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_STUB_STYLE_H_
#define FORBEAR_INTERCEPTORS_CLIENT_STUB_STYLE_H_

namespace forbear {

class StubStyle {
 public:
  explicit StubStyle(bool is_generic)
      : generic(is_generic), outer_(innermost_) {
    innermost_ = this;
  }
  ~StubStyle() { innermost_ = outer_; }
  StubStyle(const StubStyle&) = delete;
  StubStyle& operator=(const StubStyle&) = delete;

  static const StubStyle& InCreation() {
    static const StubStyle* const unknown = new StubStyle;
    return innermost_ != nullptr ? *innermost_ : *unknown;
  }

  const bool generic;  // Its messages are ByteBuffers.

 private:
  StubStyle() : generic(false), outer_(nullptr) {}

  static inline thread_local const StubStyle* innermost_ = nullptr;
  const StubStyle* const outer_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_STUB_STYLE_H_
