// Sees to orders: asks routes how long the way takes, and sends a courier.
//
// Where routes cannot be asked, an order that accepts it gets the time that is
// usual for its zone, and no courier yet. Retries and deadlines are left to the
// channel.
//
//   auto channel = forbear::CreateChannel("dns:///routes:50051", credentials,
//                                         options);
//   DispatchService service(channel, &tally);
//   guard.RegisterService<shop::Dispatch>(builder, service);
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        those of routes, for an order that accepts no cached estimate.
#ifndef FORBEAR_EXAMPLES_DISPATCH_DISPATCH_SERVICE_H_
#define FORBEAR_EXAMPLES_DISPATCH_DISPATCH_SERVICE_H_

#include <memory>

#include "examples/dispatch/couriers.h"
#include "examples/dispatch/zone_cache.h"
#include "examples/shop/tally.h"
#include "proto/shop.grpc.pb.h"

namespace shop {

class DispatchService : public Dispatch::Service {
 public:
  DispatchService(const std::shared_ptr<grpc::ChannelInterface>& routes,
                  Tally* tally);

  grpc::Status Assign(grpc::ServerContext* context,
                      const AssignRequest* request,
                      AssignReply* reply) override;
  grpc::Status ListCouriers(grpc::ServerContext* context,
                            const google::protobuf::Empty* request,
                            ListCouriersReply* reply) override;

 protected:
  virtual grpc::Status Estimate(grpc::ServerContext* inbound,
                                const EstimateRequest& request,
                                EstimateReply* reply);

  const std::unique_ptr<Routes::Stub> routes_;

 private:
  Tally* const tally_;
  ZoneCache zones_;
  Couriers couriers_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_DISPATCH_DISPATCH_SERVICE_H_
