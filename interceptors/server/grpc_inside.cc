#include "interceptors/server/grpc_inside.h"

#include <grpcpp/impl/call_op_set.h>
#include <grpcpp/impl/codegen/metadata_map.h>

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <typeinfo>

namespace forbear {
namespace inside {
namespace {

using grpc::internal::CallOpSendInitialMetadata;
using grpc::internal::CallOpSendMessage;
using grpc::internal::CallOpServerSendStatus;
using grpc::internal::CallOpSet;
using grpc::internal::CallOpSetInterface;
using Methods = std::vector<std::unique_ptr<grpc::internal::RpcServiceMethod>>;
using Trailers = std::multimap<std::string, std::string>;

// A private member may be named in an explicit instantiation; the friend it
// defines hands the pointer out.
template <typename Member, typename Member::Type pointer>
struct Expose {
  friend typename Member::Type Get(Member) { return pointer; }
};

struct ServiceMethods {
  using Type = Methods grpc::Service::*;
  friend Type Get(ServiceMethods);
};
template struct Expose<ServiceMethods, &grpc::Service::methods_>;

struct ServiceServer {
  using Type = grpc::ServerInterface* grpc::Service::*;
  friend Type Get(ServiceServer);
};
template struct Expose<ServiceServer, &grpc::Service::server_>;

struct ClientMetadata {
  using Type = grpc::internal::MetadataMap grpc::ServerContextBase::*;
  friend Type Get(ClientMetadata);
};
template struct Expose<ClientMetadata,
                       &grpc::ServerContextBase::client_metadata_>;

struct SendsStatus {
  using Type = bool CallOpServerSendStatus::*;
  friend Type Get(SendsStatus);
};
template struct Expose<SendsStatus,
                       &CallOpServerSendStatus::send_status_available_>;

struct StatusCodeOf {
  using Type = grpc_status_code CallOpServerSendStatus::*;
  friend Type Get(StatusCodeOf);
};
template struct Expose<StatusCodeOf,
                       &CallOpServerSendStatus::send_status_code_>;

struct SentTrailers {
  using Type = Trailers* CallOpServerSendStatus::*;
  friend Type Get(SentTrailers);
};
template struct Expose<SentTrailers, &CallOpServerSendStatus::metadata_map_>;

struct TrailersToSend {
  using Type = Trailers grpc::ServerContextBase::*;
  friend Type Get(TrailersToSend);
};
template struct Expose<TrailersToSend,
                       &grpc::ServerContextBase::trailing_metadata_>;

struct MessageOf {
  using Type = std::string CallOpServerSendStatus::*;
  friend Type Get(MessageOf);
};
template struct Expose<MessageOf, &CallOpServerSendStatus::send_error_message_>;

struct DetailsOf {
  using Type = std::string CallOpServerSendStatus::*;
  friend Type Get(DetailsOf);
};
template struct Expose<DetailsOf, &CallOpServerSendStatus::send_error_details_>;

struct ResponseOf {
  using Type = const void* CallOpSendMessage::*;
  friend Type Get(ResponseOf);
};
template struct Expose<ResponseOf, &CallOpSendMessage::msg_>;

// The batches that answer: with a message, and without.
using FinishWithMessage = CallOpSet<CallOpSendInitialMetadata,
                                    CallOpSendMessage, CallOpServerSendStatus>;
using FinishWithout =
    CallOpSet<CallOpSendInitialMetadata, CallOpServerSendStatus>;

static_assert(std::is_polymorphic<CallOpSetInterface>::value &&
                  std::is_base_of<CallOpSetInterface, FinishWithout>::value &&
                  std::is_base_of<CallOpServerSendStatus, FinishWithout>::value,
              "a batch can be asked whether it sends a status");

// Types of batches that were found to send no status: a cast that fails costs
// 300 instructions, and a stream makes one for every message.
class Fruitless {
 public:
  bool Has(const std::type_info& type) const {
    return SlotOf(type).load(std::memory_order_relaxed) == &type;
  }
  void Add(const std::type_info& type) {
    SlotOf(type).store(&type, std::memory_order_relaxed);
  }

 private:
  using Slot = std::atomic<const std::type_info*>;
  static constexpr size_t kSlots = 64;

  // A type_info may exist twice, in two libraries: then it is found twice.
  Slot& SlotOf(const std::type_info& type) const {
    return slots_[reinterpret_cast<uintptr_t>(&type) / 16 % kSlots];
  }

  mutable Slot slots_[kSlots] = {};
};

CallOpServerSendStatus* StatusOpOf(CallOpSetInterface* batch) {
  static Fruitless fruitless;
  const std::type_info& type = typeid(*batch);
  if (fruitless.Has(type)) return nullptr;
  if (type == typeid(FinishWithMessage)) {
    return static_cast<FinishWithMessage*>(batch);
  }
  if (type == typeid(FinishWithout)) {
    return static_cast<FinishWithout*>(batch);
  }
  auto* op = dynamic_cast<CallOpServerSendStatus*>(batch);
  if (op == nullptr) fruitless.Add(type);
  return op;
}

}  // namespace

const Methods& MethodsOf(const grpc::Service& service) {
  return service.*Get(ServiceMethods());
}

void CopyRegistration(const grpc::Service& registered,
                      grpc::Service& unregistered) {
  unregistered.*Get(ServiceServer()) = registered.*Get(ServiceServer());
  const Methods& from = MethodsOf(registered);
  const Methods& to = MethodsOf(unregistered);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == nullptr || from[i]->handler() != nullptr) continue;
    to[i]->set_server_tag(from[i]->server_tag());
  }
}

const grpc_metadata_array& ReceivedMetadata(
    const grpc::ServerContextBase& context) {
  // The member is mutable: gRPC, too, looks into it through const contexts.
  auto& mutable_context = const_cast<grpc::ServerContextBase&>(context);
  return *(mutable_context.*Get(ClientMetadata())).arr();
}

Trailers& TrailersOf(grpc::ServerContextBase& context) {
  return context.*Get(TrailersToSend());
}

absl::optional<Answer> AnswerIn(CallOpSetInterface* batch) {
  CallOpServerSendStatus* op = StatusOpOf(batch);
  if (op == nullptr || !(op->*Get(SendsStatus()))) return absl::nullopt;
  const void* response = nullptr;
  if (typeid(*batch) == typeid(FinishWithMessage)) {
    response = static_cast<FinishWithMessage*>(batch)->*Get(ResponseOf());
  }
  return Answer{op->*Get(StatusCodeOf()), op->*Get(SentTrailers()),
                &(op->*Get(MessageOf())), &(op->*Get(DetailsOf())), response};
}

}  // namespace inside
}  // namespace forbear
