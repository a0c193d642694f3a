// Between Abseil's time and protobuf's.
//
//   shop::ToProto(deadline, order.mutable_expires());
//   absl::Time deadline = shop::FromProto(order.expires());
//
// Thread-safety: pure functions.
// Units:         absl::Time and absl::Duration.
// Errors:        none; a time that protobuf cannot say is the caller's fault.
#ifndef FORBEAR_EXAMPLES_SHOP_PROTO_TIME_H_
#define FORBEAR_EXAMPLES_SHOP_PROTO_TIME_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "absl/time/time.h"

namespace shop {

void ToProto(absl::Time time, google::protobuf::Timestamp* proto);
absl::Time FromProto(const google::protobuf::Timestamp& proto);

void ToProto(absl::Duration duration, google::protobuf::Duration* proto);
absl::Duration FromProto(const google::protobuf::Duration& proto);

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_PROTO_TIME_H_
