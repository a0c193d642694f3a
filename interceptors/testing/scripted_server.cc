#include "interceptors/testing/scripted_server.h"

#include <grpcpp/server_builder.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"

namespace forbear {
namespace testing {
namespace {

std::string ToString(const grpc::string_ref& ref) {
  return std::string(ref.data(), ref.size());
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  grpc::Slice slice;
  if (!buffer.Valid() || !buffer.DumpToSingleSlice(&slice).ok()) return "";
  return std::string(reinterpret_cast<const char*>(slice.begin()),
                     slice.size());
}

absl::Duration TimeLeft(const grpc::ServerContextBase& context) {
  const gpr_timespec deadline = context.raw_deadline();
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) {
    return absl::InfiniteDuration();
  }
  const gpr_timespec left =
      gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  return absl::Seconds(left.tv_sec) + absl::Nanoseconds(left.tv_nsec);
}

}  // namespace

Answer Answer::Succeeds(const google::protobuf::MessageLite& reply) {
  Answer answer;
  answer.messages.push_back(reply.SerializeAsString());
  return answer;
}

Answer Answer::Fails(grpc::StatusCode code, const std::string& message,
                     const std::string& details) {
  Answer answer;
  answer.status = grpc::Status(code, message, details);
  return answer;
}

Answer Answer::Hangs() {
  Answer answer;
  answer.hangs = true;
  return answer;
}

Answer Answer::Echoes() {
  Answer answer;
  answer.echoes = true;
  return answer;
}

Answer& Answer::After(int messages) {
  reads = messages;
  return *this;
}

Answer& Answer::HeadersFirst() {
  headers_first = true;
  return *this;
}

Answer& Answer::WithTrailer(const std::string& key, const std::string& value) {
  trailers.emplace(key, value);
  return *this;
}

Answer& Answer::WithHeader(const std::string& key, const std::string& value) {
  headers.emplace(key, value);
  return *this;
}

std::vector<std::string> Arrival::Values(const std::string& key) const {
  std::vector<std::string> values;
  const auto range = metadata.equal_range(key);
  for (auto it = range.first; it != range.second; ++it) {
    values.push_back(it->second);
  }
  return values;
}

// Its reactions take turns. gRPC orders OnDone() after all others; the mutex
// says so in a way that ThreadSanitizer sees, too.
class ScriptedServer::Reactor final : public grpc::ServerGenericBidiReactor {
 public:
  Reactor(ScriptedServer* server, grpc::GenericCallbackServerContext* context)
      : server_(server), context_(context) {
    StartRead(&message_);
  }

  void OnReadDone(bool ok) override {
    std::lock_guard<std::mutex> lock(turn_);
    if (!arrived_) Arrive();
    const std::string message = ToString(message_);
    server_->Received(index_, ok ? &message : nullptr);
    if (ok) ++read_;
    if (answer_.echoes && ok) {
      answer_.messages.push_back(message);
      WriteNext();  // Reads on when it is sent.
      return;
    }
    if (!answered_ && (!ok || read_ >= answer_.reads)) Begin();
    if (ok) StartRead(&message_);
  }

  void OnWriteDone(bool ok) override {
    std::lock_guard<std::mutex> lock(turn_);
    if (ok) server_->Sent(index_);
    if (ok && answer_.echoes) {
      StartRead(&message_);
    } else if (ok && written_ < answer_.messages.size()) {
      WriteNext();
    } else {
      FinishOnce(answer_.status);
    }
  }

  // A status that is given before the headers are gone would replace them.
  void OnSendInitialMetadataDone(bool) override {
    std::lock_guard<std::mutex> lock(turn_);
    sending_headers_ = false;
    if (answered_) Begin();
  }

  void OnCancel() override {
    std::lock_guard<std::mutex> lock(turn_);
    FinishOnce(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    turn_.lock();
    turn_.unlock();
    ScriptedServer* const server = server_;
    delete this;
    std::lock_guard<std::mutex> lock(server->mutex_);
    --server->in_hand_;
    server->changed_.notify_all();
  }

 private:
  void Begin() {
    answered_ = true;
    if (answer_.hangs || sending_headers_) return;
    if (answer_.messages.empty() || answer_.echoes) {
      // A status alone: what gRPC calls trailers-only, unless headers went out.
      FinishOnce(answer_.status);
    } else {
      WriteNext();
    }
  }

  void Arrive() {
    arrived_ = true;
    Arrival arrival;
    arrival.method = context_->method();
    arrival.time_left = TimeLeft(*context_);
    for (const auto& [key, value] : context_->client_metadata()) {
      arrival.metadata.emplace(ToString(key), ToString(value));
    }
    arrival.request = ToString(message_);
    answer_ = server_->Arrived(std::move(arrival), &index_);
    for (const auto& [key, value] : answer_.headers) {
      context_->AddInitialMetadata(key, value);
    }
    for (const auto& [key, value] : answer_.trailers) {
      context_->AddTrailingMetadata(key, value);
    }
    if (answer_.headers_first) {
      sending_headers_ = true;
      StartSendInitialMetadata();
    }
  }

  void WriteNext() {
    const grpc::Slice slice(answer_.messages[written_++]);
    reply_ = grpc::ByteBuffer(&slice, 1);
    StartWrite(&reply_);
  }

  void FinishOnce(const grpc::Status& status) {
    if (!finished_) Finish(status);
    finished_ = true;
  }

  ScriptedServer* const server_;
  grpc::GenericCallbackServerContext* const context_;
  grpc::ByteBuffer message_;
  grpc::ByteBuffer reply_;
  Answer answer_;
  size_t index_ = 0;
  size_t written_ = 0;
  int read_ = 0;
  bool arrived_ = false;
  bool answered_ = false;
  bool sending_headers_ = false;
  bool finished_ = false;
  std::mutex turn_;
};

class ScriptedServer::Service final : public grpc::CallbackGenericService {
 public:
  explicit Service(ScriptedServer* server) : server_(server) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Reactor(server_, context);
  }

 private:
  ScriptedServer* const server_;
};

ScriptedServer::ScriptedServer(
    std::shared_ptr<grpc::ServerCredentials> credentials,
    const std::string& address)
    : service_(std::make_unique<Service>(this)) {
  Script({Answer::Fails(grpc::StatusCode::UNIMPLEMENTED, "no script yet")});
  grpc::ServerBuilder builder;
  int port = 0;
  // A port shared with another server would give us its calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(-1);
  builder.AddListeningPort(address, std::move(credentials), &port);
  builder.RegisterCallbackGenericService(service_.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port == 0) {
    std::fprintf(stderr, "ScriptedServer: cannot listen on localhost\n");
    std::abort();
  }
  address_ = absl::StrCat("127.0.0.1:", port);
}

ScriptedServer::~ScriptedServer() {
  server_->Shutdown(std::chrono::system_clock::time_point());
  server_->Wait();
  AwaitIdle();
}

void ScriptedServer::Script(std::vector<Answer> answers) {
  std::lock_guard<std::mutex> lock(mutex_);
  script_ = std::move(answers);
  next_ = 0;
}

Answer ScriptedServer::Arrived(Arrival arrival, size_t* index) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++in_hand_;
  *index = arrivals_.size();
  arrivals_.push_back(std::move(arrival));
  changed_.notify_all();
  const Answer answer = script_[next_];
  if (next_ + 1 < script_.size()) ++next_;
  return answer;
}

void ScriptedServer::Received(size_t index, const std::string* message) {
  std::lock_guard<std::mutex> lock(mutex_);
  Arrival& arrival = arrivals_[index];
  if (message != nullptr) {
    arrival.requests.push_back(*message);
  } else {
    arrival.closed = true;
  }
  changed_.notify_all();
}

void ScriptedServer::Sent(size_t index) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++arrivals_[index].answers;
}

std::vector<Arrival> ScriptedServer::arrivals() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return arrivals_;
}

void ScriptedServer::AwaitArrivals(size_t count) const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return arrivals_.size() >= count; });
}

void ScriptedServer::AwaitRequests(size_t index, size_t messages) const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] {
    return arrivals_.size() > index &&
           arrivals_[index].requests.size() >= messages;
  });
}

void ScriptedServer::AwaitIdle() const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return in_hand_ == 0; });
}

}  // namespace testing
}  // namespace forbear
