// Gives a call of gRPC's an interceptor that was made before it.
//
// gRPC makes a call's interceptors from factories, when it makes the call. Ours
// exists by then, since it decides about the call:
//
//   CallInterceptor::ForNextCall(interceptor);  // The context owns it from
//   here. Friend::CreateCall(channel, rpc, context, cq);
//
// Not part of the library's API.
//
// Thread-safety: the interceptor goes to the next call that the same thread
//                makes on a channel with the factory.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_CALL_INTERCEPTOR_H_
#define FORBEAR_INTERCEPTORS_CLIENT_CALL_INTERCEPTOR_H_

#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <utility>

namespace forbear {

class CallInterceptor {
 public:
  // For a channel that has no other factory. A call for which there is none
  // gets no interceptor.
  static std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>
  MakeFactory() {
    return std::make_unique<Factory>();
  }

  static void ForNextCall(grpc::experimental::Interceptor* interceptor) {
    next_ = interceptor;
  }

 private:
  class Factory final
      : public grpc::experimental::ClientInterceptorFactoryInterface {
   public:
    grpc::experimental::Interceptor* CreateClientInterceptor(
        grpc::experimental::ClientRpcInfo*) override {
      return std::exchange(next_, nullptr);
    }
  };

  static inline thread_local grpc::experimental::Interceptor* next_ = nullptr;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_CALL_INTERCEPTOR_H_
