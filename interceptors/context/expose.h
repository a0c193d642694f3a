// Names private members of gRPC's classes, for the two rooms that lean on them.
//
//   FORBEAR_EXPOSE(SentMessage, CallOpSendMessage, msg_, const void*);
//   op->*Get(SentMessage())
//
// A private member may be named in an explicit instantiation; the friend that
// it defines hands the pointer out. gRPC renaming the member, or giving it
// another type, stops the build. For the anonymous namespace of
// forbear::inside: what is instantiated explicitly may be so once a program, so
// each source file has a template of its own.
//
// Not part of the library's API.
//
// Thread-safety: as that of the object looked into.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CONTEXT_EXPOSE_H_
#define FORBEAR_INTERCEPTORS_CONTEXT_EXPOSE_H_

namespace forbear {
namespace inside {
namespace {

template <typename Member, typename Member::Type pointer>
struct Expose {
  friend typename Member::Type Get(Member) { return pointer; }
};

}  // namespace
}  // namespace inside
}  // namespace forbear

// The last argument is the member's type.
#define FORBEAR_EXPOSE(Name, Class, Field, ...) \
  struct Name {                                 \
    using Type = __VA_ARGS__ Class::*;          \
    friend Type Get(Name);                      \
  };                                            \
  template struct Expose<Name, &Class::Field>

#endif  // FORBEAR_INTERCEPTORS_CONTEXT_EXPOSE_H_
