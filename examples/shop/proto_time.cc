#include "examples/shop/proto_time.h"

namespace shop {

void ToProto(absl::Time time, google::protobuf::Timestamp* proto) {
  const timespec spec = absl::ToTimespec(time);
  proto->set_seconds(spec.tv_sec);
  proto->set_nanos(static_cast<int32_t>(spec.tv_nsec));
}

absl::Time FromProto(const google::protobuf::Timestamp& proto) {
  return absl::UnixEpoch() + absl::Seconds(proto.seconds()) +
         absl::Nanoseconds(proto.nanos());
}

void ToProto(absl::Duration duration, google::protobuf::Duration* proto) {
  proto->set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &duration));
  proto->set_nanos(static_cast<int32_t>(
      absl::IDivDuration(duration, absl::Nanoseconds(1), &duration)));
}

absl::Duration FromProto(const google::protobuf::Duration& proto) {
  return absl::Seconds(proto.seconds()) + absl::Nanoseconds(proto.nanos());
}

}  // namespace shop
