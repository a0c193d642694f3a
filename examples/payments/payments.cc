// Charges cards, once for each idempotency key.
//
//   payments --port=50054 --redis=127.0.0.1:6379
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "examples/payments/memory_ledger.h"
#include "examples/payments/payments_service.h"
#include "examples/payments/redis_ledger.h"
#include "examples/shop/flags.h"
#include "examples/shop/manner.h"
#include "examples/shop/shop_server.h"
#include "interceptors/reply_cache/redis_store.h"
#include "interceptors/reply_cache/reply_cache.h"

ABSL_FLAG(shop::Port, port, {},
          "a port from 0 to 65535 to listen on, 0 for any free one");
ABSL_FLAG(shop::Address, redis, {},
          "the host:port of the Redis that keeps charges, with a port from 1 "
          "to 65535; not given: they are kept in memory");
ABSL_FLAG(shop::Manner, manner, shop::Manner::kForbear, shop::kMannerHelp);

namespace {

// What a charge takes at the card's bank, and how many the bank takes at once.
constexpr absl::Duration kChargeTime = absl::Milliseconds(60);
constexpr int kAtOnce = 16;

// Where Redis is.
struct Redis {
  std::string host;
  int port = 0;
};

Redis At(const shop::Address& address) {
  Redis redis;
  const size_t colon = address.text.rfind(':');
  redis.host = address.text.substr(0, colon);
  (void)absl::SimpleAtoi(address.text.substr(colon + 1), &redis.port);
  return redis;
}

std::unique_ptr<shop::Ledger> LedgerOf(const shop::Address& address) {
  if (address.text.empty()) return std::make_unique<shop::MemoryLedger>();
  const Redis redis = At(address);
  return std::make_unique<shop::RedisLedger>(redis.host, redis.port);
}

// A charge that comes again waits for the first, and has its answer.
std::shared_ptr<forbear::ReplyCache> RepliesOf(const shop::Address& address) {
  if (address.text.empty()) return std::make_shared<forbear::ReplyCache>();
  const Redis redis = At(address);
  forbear::RedisStore::Options options;
  options.host = redis.host;
  options.port = redis.port;
  // Longer than a charge takes, as long as Redis answers. What a server that
  // died had begun may be begun again after that; the ledger then tells whether
  // it was done.
  options.lease = absl::Seconds(1);
  return std::make_shared<forbear::ReplyCache>(
      std::make_shared<forbear::RedisStore>(options));
}

}  // namespace

int main(int argc, char** argv) {
  shop::ParseFlagsOrExit(argc, argv);
  const shop::Manner manner = absl::GetFlag(FLAGS_manner);
  const shop::Address redis = absl::GetFlag(FLAGS_redis);
  shop::ShopServer server("payments", absl::GetFlag(FLAGS_port), manner);
  forbear::ServerOptions guard;
  guard.max_concurrent_calls = kAtOnce;
  if (manner == shop::Manner::kForbear) guard.reply_cache = RepliesOf(redis);
  server.Guard(guard);
  shop::PaymentsService service(LedgerOf(redis), kChargeTime, &server.tally());
  server.Register<shop::Payments>(service);
  return server.Run();
}
