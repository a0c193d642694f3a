// Flags whose errors fit on one line.
//
// The help of a flag says what it takes. A value that it does not take ends the
// program with exit status 2 and that help:
//
//   ABSL_FLAG(shop::Port, port, {}, "a port from 0 to 65535; 0: any free one");
//   int main(int argc, char** argv) {
//     shop::ParseFlagsOrExit(argc, argv);
//
//   gateway: --port=99999: it takes a port from 0 to 65535; 0: any free one
//
// Thread-safety: called once, at the start of main().
// Units:         absl::Duration.
// Errors:        exit status 2, with one line on stderr; 0 after --help.
#ifndef FORBEAR_EXAMPLES_SHOP_FLAGS_H_
#define FORBEAR_EXAMPLES_SHOP_FLAGS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace shop {

// Range: [0, 65535].
struct Port {
  int number = 0;
};
bool AbslParseFlag(absl::string_view text, Port* port, std::string* error);
std::string AbslUnparseFlag(Port port);

// Where a server listens: "host:port".
struct Address {
  std::string text;
};
bool AbslParseFlag(absl::string_view text, Address* address,
                   std::string* error);
std::string AbslUnparseFlag(const Address& address);

// "250ms", "5m": not negative, and not infinite. Kept as text: Abseil guards
// flags of the size of a Duration by a fence that tsan does not know.
struct Span {
  std::string text = "0";

  absl::Duration time() const;
};
bool AbslParseFlag(absl::string_view text, Span* span, std::string* error);
std::string AbslUnparseFlag(const Span& span);

// Sets the flags of the program; it takes no other arguments.
void ParseFlagsOrExit(int argc, char** argv);

// Ends the program over a value that no flag alone could know to be wrong.
[[noreturn]] void ExitWrongValue(absl::string_view error);

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_FLAGS_H_
