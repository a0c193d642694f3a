// On a real redis-server, started for each test.
#include "interceptors/reply_cache/redis_store.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "interceptors/context/clock.h"
#include "interceptors/reply_cache/reply_cache.h"
#include "interceptors/reply_cache/reply_store.h"

namespace forbear {
namespace {

using State = ReplyStore::State;

// A redis-server on a port of its own, without persistence.
class Redis {
 public:
  explicit Redis(int port) : port_(port) {
    pid_ = fork();
    if (pid_ == 0) {
      execlp("redis-server", "redis-server", "--port",
             std::to_string(port).c_str(), "--save", "", "--appendonly", "no",
             "--loglevel", "warning", static_cast<char*>(nullptr));
      _exit(kNotFound);
    }
  }
  ~Redis() { Stop(); }

  void Stop() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  bool Exited() {
    int status = 0;
    const bool exited = waitpid(pid_, &status, WNOHANG) == pid_;
    if (!exited) return false;
    pid_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound) {
      std::fprintf(stderr, "there is no redis-server: install it\n");
      std::abort();
    }
    return true;
  }
  int port() const { return port_; }

 private:
  static constexpr int kNotFound = 127;  // As a shell says it.

  const int port_;
  pid_t pid_;
};

RedisStore::Options At(int port) {
  RedisStore::Options options;
  options.port = port;
  return options;
}

bool Answers(int port) {
  RedisStore store(At(port));
  return store.Claim("ping", "r", "t", SteadyNow()).state != State::kDown;
}

// One that nobody has, for the moment.
int FreePort() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size),
            0);
  close(listener);
  return ntohs(address.sin_port);
}

// Somebody may take the port first: then another one is tried.
std::unique_ptr<Redis> StartRedis() {
  while (true) {
    const int port = FreePort();
    auto redis = std::make_unique<Redis>(port);
    while (!redis->Exited()) {
      if (Answers(port) && !redis->Exited()) return redis;
      std::this_thread::yield();
    }
  }
}

StoredReply FullReply() {
  StoredReply reply;
  reply.code = 9;
  reply.message = "no such \"route\"";
  reply.details = std::string("\0\xff", 2);
  reply.payload = std::string("a\0b\r\n", 5);
  reply.trailers = {{"k", "1"}, {"k", "2"}, {"x-bin", std::string("\0", 1)}};
  return reply;
}

class RedisStoreTest : public ::testing::Test {
 protected:
  ReplyStore::Claimed Claim(RedisStore& store, const std::string& request = "r",
                            const std::string& token = "t") {
    return store.Claim("k", request, token, SteadyNow());
  }

  std::unique_ptr<Redis> redis_ = StartRedis();
  RedisStore store_{At(redis_->port())};
};

TEST_F(RedisStoreTest, ASecondServerFindsTheReplyOfTheFirst) {
  EXPECT_EQ(Claim(store_).state, State::kMine);
  RedisStore second(At(redis_->port()));
  EXPECT_EQ(Claim(second).state, State::kRunning);
  EXPECT_EQ(Claim(second, "other").state, State::kOther);
  EXPECT_EQ(store_.Keep("k", "r", "t", FullReply(), SteadyNow()),
            absl::OkStatus());

  const auto claimed = Claim(second);
  ASSERT_EQ(claimed.state, State::kDone);
  EXPECT_EQ(claimed.reply.code, FullReply().code);
  EXPECT_EQ(claimed.reply.message, FullReply().message);
  EXPECT_EQ(claimed.reply.details, FullReply().details);
  EXPECT_EQ(claimed.reply.payload, FullReply().payload);
  EXPECT_EQ(claimed.reply.trailers, FullReply().trailers);
  EXPECT_EQ(Claim(second, "other").state, State::kOther);
}

TEST_F(RedisStoreTest, ForgetsWhatWasNotApplied) {
  EXPECT_EQ(Claim(store_).state, State::kMine);
  EXPECT_EQ(store_.Drop("k", "t", SteadyNow()), absl::OkStatus());
  EXPECT_EQ(Claim(store_, "another request").state, State::kMine);
}

TEST_F(RedisStoreTest, LeavesClaimsOfOthersAlone) {
  EXPECT_EQ(Claim(store_, "r", "mine").state, State::kMine);
  EXPECT_EQ(store_.Drop("k", "yours", SteadyNow()), absl::OkStatus());
  EXPECT_EQ(store_.Keep("k", "r", "yours", FullReply(), SteadyNow()),
            absl::OkStatus());
  EXPECT_EQ(Claim(store_).state, State::kRunning);
}

TEST_F(RedisStoreTest, AClaimOfAServerThatDiedIsFreeAfterItsLease) {
  RedisStore::Options options = At(redis_->port());
  options.lease = absl::Seconds(1);
  RedisStore dead(options);
  EXPECT_EQ(Claim(dead).state, State::kMine);
  while (Claim(store_, "r", "next").state == State::kRunning) {
    std::this_thread::yield();
  }
  // Its late answer is not taken for that of the one who runs now.
  EXPECT_EQ(dead.Keep("k", "r", "t", FullReply(), SteadyNow()),
            absl::OkStatus());
  EXPECT_EQ(Claim(store_).state, State::kRunning);
}

TEST_F(RedisStoreTest, SaysThatRedisIsGoneAndFindsItAgain) {
  const int port = redis_->port();
  redis_->Stop();
  const auto claimed = Claim(store_);
  EXPECT_EQ(claimed.state, State::kDown);
  EXPECT_EQ(claimed.error.code(), absl::StatusCode::kUnavailable);
  redis_ = std::make_unique<Redis>(port);
  while (Claim(store_).state == State::kDown) std::this_thread::yield();
  EXPECT_EQ(Claim(store_).state, State::kRunning);
}

TEST_F(RedisStoreTest, ARestartedServerStillKnowsARepeat) {
  using Outcome = ReplyCache::Outcome;
  const auto begin = [](ReplyCache& cache) {
    std::promise<Outcome> outcome;
    cache.Begin("k", "r", absl::InfiniteFuture(),
                [&outcome](Outcome o) { outcome.set_value(std::move(o)); });
    return outcome.get_future().get();
  };
  {
    ReplyCache cache(std::make_shared<RedisStore>(At(redis_->port())));
    const Outcome first = begin(cache);
    ASSERT_EQ(first.kind, Outcome::kRun);
    first.ticket->Keep(FullReply());
  }
  ReplyCache restarted(std::make_shared<RedisStore>(At(redis_->port())));
  const Outcome again = begin(restarted);
  EXPECT_EQ(again.kind, Outcome::kReplay);
  EXPECT_EQ(again.reply.payload, FullReply().payload);
}

TEST(RedisStoreOptionsTest, AreNamedByEveryVerbWhenOutOfRange) {
  RedisStore::Options options;
  options.port = 0;
  RedisStore store(options);
  const auto claimed = store.Claim("k", "r", "t", SteadyNow());
  EXPECT_EQ(claimed.state, State::kDown);
  EXPECT_EQ(claimed.error.message(),
            "RedisStore::Options.port: 0 is out of range [1, 65535]");
  options = RedisStore::Options();
  options.lease = absl::ZeroDuration();
  EXPECT_EQ(options.Validate().message(),
            "RedisStore::Options.lease: 0 is out of range [1s, 1h]");
}

}  // namespace
}  // namespace forbear
