// Part 4, a payment: a timeout does not mean that the work did not happen.
//
// The provider charges when the call arrives. Its first reply takes 900 ms, the
// second 100 ms; the caller waits 500 ms for each, and may retry once.
//
//   const PaymentFigures twice = RunPayment(PaymentManner::kWithoutKey);
//
// Thread-safety: pure functions.
// Units:         charges.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_PAYMENT_H_
#define FORBEAR_EXAMPLES_LAB_PAYMENT_H_

#include <cstdint>

#include "interceptors/policy/verdict.h"

namespace lab {

enum class PaymentManner : uint8_t {
  kWithoutKey,  // The caller's policy claims that a payment is repeatable.
  kWithKey,     // An idempotency key, which the provider honours.
  kUnsaid,      // Nothing is claimed, and no key sent: forbear's default.
};

struct PaymentFigures {
  int attempts = 0;
  int charged = 0;
  forbear::Verdict verdict = forbear::Verdict::kSucceeded;
  // It failed, and nobody knows whether it happened: to be reconciled.
  bool outcome_unknown = false;
};

PaymentFigures RunPayment(PaymentManner manner);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_PAYMENT_H_
