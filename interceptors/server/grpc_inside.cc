#include "interceptors/server/grpc_inside.h"

#include <grpcpp/impl/call_op_set.h>
#include <grpcpp/impl/codegen/metadata_map.h>

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <typeinfo>

#include "interceptors/context/expose.h"

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

FORBEAR_EXPOSE(ServiceMethods, grpc::Service, methods_, Methods);
FORBEAR_EXPOSE(ServiceServer, grpc::Service, server_, grpc::ServerInterface*);
FORBEAR_EXPOSE(ClientMetadata, grpc::ServerContextBase, client_metadata_,
               grpc::internal::MetadataMap);
FORBEAR_EXPOSE(SendsStatus, CallOpServerSendStatus, send_status_available_,
               bool);
FORBEAR_EXPOSE(StatusCodeOf, CallOpServerSendStatus, send_status_code_,
               grpc_status_code);
FORBEAR_EXPOSE(SentTrailers, CallOpServerSendStatus, metadata_map_, Trailers*);
FORBEAR_EXPOSE(TrailersToSend, grpc::ServerContextBase, trailing_metadata_,
               Trailers);
FORBEAR_EXPOSE(MessageOf, CallOpServerSendStatus, send_error_message_,
               std::string);
FORBEAR_EXPOSE(DetailsOf, CallOpServerSendStatus, send_error_details_,
               std::string);
FORBEAR_EXPOSE(ResponseOf, CallOpSendMessage, msg_, const void*);

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
