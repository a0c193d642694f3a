// A server with a method of each kind and style, and a client that calls it.
//
//   KindsServer server(Style::kSync, ServerOptions{});
//   server.script().run = [](grpc::ServerContextBase*) { return NotFound(); };
//   Reply reply = server.Call(Kind::kUnary, absl::Seconds(60));
//   EXPECT_EQ(server.script().entered, 1);
//
// Thread-safety: calls may be made concurrently; the rest is for one thread.
// Units:         absl::Duration.
// Errors:        a server that does not start fails the test.
#ifndef FORBEAR_TESTS_SERVER_KINDS_SERVER_H_
#define FORBEAR_TESTS_SERVER_KINDS_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/server/server_guard.h"
#include "interceptors/server/server_options.h"
#include "interceptors/telemetry/observer.h"
#include "proto/testing/kinds.grpc.pb.h"

namespace forbear {
namespace testing {

enum class Style { kSync, kCallback };
enum class Kind { kUnary, kUpload, kDownload, kChat };

std::string NameOf(Style style);
std::string NameOf(Kind kind);
// As gRPC writes it.
std::string MethodOf(Kind kind);

// What every handler of a service does: it counts itself, then runs `run` in
// the handler's function and answers with the status.
struct Script {
  std::function<grpc::Status(grpc::ServerContextBase*)> run;
  // Instead, answers ABORTED once its scope has been cancelled: a sync handler
  // asks it, a callback handler does so when it hears of it.
  bool until_cancelled = false;
  // The text of unary responses.
  std::string answer;
  std::atomic<int> entered{0};

  grpc::Status Run(grpc::ServerContextBase* context);
};

class SyncKinds : public Kinds::Service {
 public:
  explicit SyncKinds(Script* script) : script_(*script) {}

  grpc::Status Unary(grpc::ServerContext*, const Note*, Note*) override;
  grpc::Status Upload(grpc::ServerContext*, grpc::ServerReader<Note>*,
                      Note*) override;
  grpc::Status Download(grpc::ServerContext*, const Note*,
                        grpc::ServerWriter<Note>*) override;
  grpc::Status Chat(grpc::ServerContext*,
                    grpc::ServerReaderWriter<Note, Note>*) override;

 private:
  Script& script_;
};

class CallbackKinds : public Kinds::CallbackService {
 public:
  explicit CallbackKinds(Script* script) : script_(*script) {}

  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext*, const Note*,
                                  Note*) override;
  grpc::ServerReadReactor<Note>* Upload(grpc::CallbackServerContext*,
                                        Note*) override;
  grpc::ServerWriteReactor<Note>* Download(grpc::CallbackServerContext*,
                                           const Note*) override;
  grpc::ServerBidiReactor<Note, Note>* Chat(
      grpc::CallbackServerContext*) override;

 private:
  Script& script_;
};

// Keeps every server event.
class Recorder final : public Observer {
 public:
  struct Refused {
    std::string method;
    RefusalReason reason;
    absl::Duration time_left;
    bool enforced;
    absl::Duration queued;
    absl::Duration pushback;
  };
  struct Ended {
    std::string method;
    absl::StatusCode code;
    absl::Duration latency;
    bool told_not_to_retry;
    absl::Duration past_deadline;
  };

  void HandlerEntered(const HandlerStart& e) override;
  void HandlerRefused(const HandlerRefusal& e) override;
  void HandlerEnded(const HandlerFinish& e) override;
  void ReplyReplayed(const Replay& e) override;

  std::vector<absl::Duration> entered() const;
  // How long each of those had waited for its turn.
  std::vector<absl::Duration> queued() const;
  std::vector<Refused> refused() const;
  std::vector<Ended> ended() const;
  int replays() const;
  // Blocks until so many have ended: a client may have its answer first. What
  // their handlers did has then been done, for sanitizers too.
  void AwaitEnded(size_t count) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<absl::Duration> entered_;
  std::vector<absl::Duration> queued_;
  std::vector<Refused> refused_;
  std::vector<Ended> ended_;
  int replays_ = 0;
};

// What a client saw.
struct Reply {
  grpc::Status status;
  std::multimap<std::string, std::string> trailers;

  std::vector<std::string> Trailers(absl::string_view key) const;
};

// How a server differs from the plainest one that a guard serves.
struct ServerSetup {
  ServerGuard::InterceptorFactories interceptors;
  // False: registered with the builder directly, and only the guard's
  // interceptor sees its calls.
  bool guarded = true;
  // What else to do to the builder.
  std::function<void(grpc::ServerBuilder&)> prepare;
  // The same with the guard, and what to do when all is registered.
  std::function<void(grpc::ServerBuilder&, ServerGuard&)> prepare_guarded;
  std::function<void(ServerGuard&)> before_start;
};

class KindsServer {
 public:
  // Serves `service` on a free port of the loopback.
  KindsServer(Kinds::Service* service, ServerOptions options,
              ServerSetup setup = ServerSetup());
  // Serves SyncKinds or CallbackKinds.
  KindsServer(Style style, ServerOptions options,
              ServerSetup setup = ServerSetup());
  ~KindsServer();

  Script& script() { return script_; }
  Recorder& recorder() { return *recorder_; }
  ServerGuard& guard() { return guard_; }
  grpc::Server& server() { return *server_; }
  Kinds::Stub& stub() { return *stub_; }
  int port() const { return port_; }
  const std::shared_ptr<grpc::Channel>& channel() { return channel_; }

  // Writes and reads what the kind has. An infinite timeout sets no deadline.
  Reply Call(Kind kind, absl::Duration timeout);
  Reply Call(Kind kind, grpc::ClientContext* context);

 private:
  void Start(Kinds::Service* service, ServerSetup setup);

  Script script_;
  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
  std::unique_ptr<Kinds::Service> own_service_;
  ServerGuard guard_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Kinds::Stub> stub_;
};

// Keeps each call from its handler until the call's deadline has passed.
ServerSetup HoldUntilExpired();

// Blocks until `condition` holds.
void Await(const std::function<bool()>& condition);

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_SERVER_KINDS_SERVER_H_
