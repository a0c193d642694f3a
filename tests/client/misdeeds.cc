#include "tests/client/misdeeds.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace forbear {
namespace testing {
namespace {

constexpr grpc::StatusCode kOk = grpc::StatusCode::OK;
// More than a client takes of metadata, 8 KiB unless told otherwise.
constexpr size_t kFlood = 12 << 10;

RawConnection::Metadata Flood(size_t size) {
  RawConnection::Metadata metadata;
  for (size_t i = 0; i < size / 1024; ++i) {
    metadata.emplace_back(absl::StrCat("x-flood-", i), std::string(980, 'x'));
  }
  return metadata;
}

void Hang(RawConnection&, uint32_t) {}

const Misdeed kMisdeeds[] = {
    {"ResetsTheStream",
     [](RawConnection& connection, uint32_t stream) {
       connection.Reset(stream, RawConnection::kInternalError);
     },
     grpc::StatusCode::INTERNAL, false},
    {"RefusesTheStream",
     [](RawConnection& connection, uint32_t stream) {
       connection.Reset(stream, RawConnection::kRefusedStream);
     },
     grpc::StatusCode::UNAVAILABLE, true},
    {"CancelsTheStream",
     [](RawConnection& connection, uint32_t stream) {
       connection.Reset(stream, RawConnection::kCancel);
     },
     grpc::StatusCode::CANCELLED, false},
    {"ResetsTheStreamAfterHeaders",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream);
       connection.Reset(stream, RawConnection::kRefusedStream);
     },
     grpc::StatusCode::UNAVAILABLE, true},
    {"SendsHeadersOnly",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream);
     },
     grpc::StatusCode::DEADLINE_EXCEEDED, true},
    {"NeverAnswers", Hang, grpc::StatusCode::DEADLINE_EXCEEDED, true},
    {"SendsAMessageAndNoStatus",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream);
       connection.Message(stream, "");
     },
     grpc::StatusCode::DEADLINE_EXCEEDED, true},
    {"SendsHalfAMessageAndNoMore",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream);
       connection.Message(stream, "half", 8);
     },
     grpc::StatusCode::DEADLINE_EXCEEDED, true},
    {"SendsHalfAMessageAndResets",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream);
       connection.Message(stream, "half", 8);
       connection.Reset(stream, RawConnection::kInternalError);
     },
     grpc::StatusCode::INTERNAL, false},
    {"SendsHalfAMessageAndGoesAway",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream);
       connection.Message(stream, "half", 8);
       connection.Close();
     },
     grpc::StatusCode::UNAVAILABLE, true},
    {"SendsHalfAMessageAndSuccess",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream);
       connection.Message(stream, "half", 8);
       connection.Trailers(stream, {{"grpc-status", "0"}});
     },
     grpc::StatusCode::UNIMPLEMENTED, false},
    {"SendsSuccessAndNoMessage",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream);
       connection.Trailers(stream, {{"grpc-status", "0"}});
     },
     grpc::StatusCode::UNIMPLEMENTED, false},
    {"AnswersTwice",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream);
       connection.Message(stream, "");
       connection.Message(stream, "");
       connection.Trailers(stream, {{"grpc-status", "0"}});
     },
     grpc::StatusCode::DEADLINE_EXCEEDED, true},
    {"EndsTwice",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream);
       connection.Message(stream, "");
       connection.Trailers(stream, {{"grpc-status", "0"}});
       connection.Trailers(stream, {{"grpc-status", "14"}});
     },
     kOk, false},
    {"SaysAStatusThatIsNone",
     [](RawConnection& connection, uint32_t stream) {
       connection.Trailers(stream, {{":status", "200"},
                                    {"content-type", "application/grpc"},
                                    {"grpc-status", "soon"}});
     },
     grpc::StatusCode::UNKNOWN, false},
    {"FloodsHeadersUpToTheLimit",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream, Flood(6 << 10));
       connection.Message(stream, "");
       connection.Trailers(stream, {{"grpc-status", "0"}});
     },
     kOk, false},
    {"FloodsHeadersBeyondIt",
     [](RawConnection& connection, uint32_t stream) {
       connection.Headers(stream, Flood(kFlood));
       connection.Message(stream, "");
       connection.Trailers(stream, {{"grpc-status", "0"}});
     },
     grpc::StatusCode::RESOURCE_EXHAUSTED, false},
    {"FloodsTrailersBeyondIt",
     [](RawConnection& connection, uint32_t stream) {
       RawConnection::Metadata trailers = Flood(kFlood);
       trailers.emplace_back("grpc-status", "14");
       connection.Headers(stream);
       connection.Trailers(stream, trailers);
     },
     grpc::StatusCode::RESOURCE_EXHAUSTED, false},
};

}  // namespace

absl::Span<const Misdeed> Misdeeds() { return kMisdeeds; }

}  // namespace testing
}  // namespace forbear
