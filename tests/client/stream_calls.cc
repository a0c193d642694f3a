#include "tests/client/stream_calls.h"

#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "gtest/gtest.h"
#include "proto/testing/kinds.grpc.pb.h"

namespace forbear {
namespace testing {
namespace {

Note NoteOf(const std::string& text) {
  Note note;
  note.set_text(text);
  return note;
}

grpc::ByteBuffer BytesOf(const std::string& text) {
  const grpc::Slice slice(NoteOf(text).SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

std::string TextOf(const Note& note) { return note.text(); }

std::string TextOf(const grpc::ByteBuffer& bytes) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(bytes.Dump(&slices).ok());
  std::string wire;
  for (const grpc::Slice& slice : slices) {
    wire.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  Note note;
  EXPECT_TRUE(note.ParseFromString(wire));
  return note.text();
}

template <typename Message>
Message MessageOf(const std::string& text);
template <>
Note MessageOf<Note>(const std::string& text) {
  return NoteOf(text);
}
template <>
grpc::ByteBuffer MessageOf<grpc::ByteBuffer>(const std::string& text) {
  return BytesOf(text);
}

// The plan, told what happens.
class Course {
 public:
  Course(StreamKind kind, const StreamPlan& plan) : plan_(plan) {
    if (kind == StreamKind::kDownload) sends_ = {plan.sends.front()};
    if (kind != StreamKind::kDownload) sends_ = plan.sends;
  }

  const std::vector<std::string>& sends() const { return sends_; }
  bool asks_for_headers() const { return plan_.asks_for_headers; }
  void BeforeSend(size_t index) const {
    if (plan_.before_send) plan_.before_send(index);
  }
  void BeforeClose() const {
    if (plan_.before_close) plan_.before_close();
  }
  template <typename Message>
  void Read(const Message& message) {
    result.messages.push_back(TextOf(message));
    if (plan_.after_read) plan_.after_read(result.messages.size());
  }

  StreamResult result;

 private:
  const StreamPlan& plan_;
  std::vector<std::string> sends_;
};

// --- Sync ---

template <typename Writer>
void WriteAll(Writer& writer, Course* course) {
  for (size_t i = 0; i < course->sends().size(); ++i) {
    course->BeforeSend(i);
    if (!writer.Write(NoteOf(course->sends()[i]))) return;
    ++course->result.sent;
  }
  course->BeforeClose();
  writer.WritesDone();
}

void RunSync(Kinds::Stub& stub, StreamKind kind, grpc::ClientContext* context,
             Course* course) {
  Note note;
  switch (kind) {
    case StreamKind::kDownload: {
      course->BeforeSend(0);
      const auto reader =
          stub.Download(context, NoteOf(course->sends().front()));
      if (course->asks_for_headers()) reader->WaitForInitialMetadata();
      while (reader->Read(&note)) course->Read(note);
      course->result.status = reader->Finish();
      return;
    }
    case StreamKind::kUpload: {
      const auto writer = stub.Upload(context, &note);
      WriteAll(*writer, course);
      if (course->asks_for_headers()) writer->WaitForInitialMetadata();
      course->result.status = writer->Finish();
      if (course->result.status.ok()) course->Read(note);
      return;
    }
    case StreamKind::kChat: {
      const auto both = stub.Chat(context);
      WriteAll(*both, course);
      if (course->asks_for_headers()) both->WaitForInitialMetadata();
      while (both->Read(&note)) course->Read(note);
      course->result.status = both->Finish();
      return;
    }
  }
}

// --- Callback ---

// What all reactors share. The thread that makes the call writes, and waits in
// between: nobody may wait on a callback's thread.
template <typename Message>
class Dialogue {
 public:
  explicit Dialogue(Course* course) : course_(course) {}
  virtual ~Dialogue() = default;

  // Writes all, and closes.
  void WriteAll() {
    Message message;
    for (size_t i = 0; i < course_->sends().size(); ++i) {
      course_->BeforeSend(i);
      message = MessageOf<Message>(course_->sends()[i]);
      Write(&message);
      if (!AwaitWrite()) return;
      ++course_->result.sent;
    }
    course_->BeforeClose();
    Close();
  }

  void AwaitDone() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return over_; });
  }

 protected:
  virtual void Write(const Message* message) = 0;
  virtual void Close() = 0;

  void Wrote(bool ok) {
    std::lock_guard<std::mutex> lock(mutex_);
    wrote_ = true;
    write_ok_ = ok;
    changed_.notify_all();
  }
  void Over(const grpc::Status& status) {
    std::lock_guard<std::mutex> lock(mutex_);
    course_->result.status = status;
    over_ = true;
    changed_.notify_all();
  }

  Course* const course_;
  Message received_;

 private:
  bool AwaitWrite() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return wrote_; });
    wrote_ = false;
    return write_ok_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool wrote_ = false;
  bool write_ok_ = false;
  bool over_ = false;
};

class Downloading final : public grpc::ClientReadReactor<Note>,
                          public Dialogue<Note> {
 public:
  using Dialogue::Dialogue;
  void Begin() {
    StartRead(&received_);
    StartCall();
  }

 private:
  void Write(const Note*) override {}
  void Close() override {}
  void OnReadDone(bool ok) override {
    if (!ok) return;
    course_->Read(received_);
    StartRead(&received_);
  }
  void OnDone(const grpc::Status& status) override { Over(status); }
};

class Uploading final : public grpc::ClientWriteReactor<Note>,
                        public Dialogue<Note> {
 public:
  using Dialogue::Dialogue;
  void Begin() {
    AddHold();
    StartCall();
    WriteAll();
    RemoveHold();
  }

 private:
  void Write(const Note* note) override { StartWrite(note); }
  void Close() override { StartWritesDone(); }
  void OnWriteDone(bool ok) override { Wrote(ok); }
  void OnDone(const grpc::Status& status) override { Over(status); }
};

template <typename Message>
class Chatting final : public grpc::ClientBidiReactor<Message, Message>,
                       public Dialogue<Message> {
 public:
  using Dialogue<Message>::Dialogue;
  void Begin() {
    this->AddHold();
    this->StartRead(&this->received_);
    this->StartCall();
    this->WriteAll();
    this->RemoveHold();
  }

 private:
  void Write(const Message* message) override { this->StartWrite(message); }
  void Close() override { this->StartWritesDone(); }
  void OnWriteDone(bool ok) override { this->Wrote(ok); }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    this->course_->Read(this->received_);
    this->StartRead(&this->received_);
  }
  void OnDone(const grpc::Status& status) override { this->Over(status); }
};

void RunCallback(Kinds::Stub& stub, StreamKind kind,
                 grpc::ClientContext* context, Course* course) {
  Note note;
  switch (kind) {
    case StreamKind::kDownload: {
      Downloading reactor(course);
      course->BeforeSend(0);
      const Note request = NoteOf(course->sends().front());
      stub.async()->Download(context, &request, &reactor);
      reactor.Begin();
      reactor.AwaitDone();
      return;
    }
    case StreamKind::kUpload: {
      Uploading reactor(course);
      stub.async()->Upload(context, &note, &reactor);
      reactor.Begin();
      reactor.AwaitDone();
      if (course->result.status.ok()) course->Read(note);
      return;
    }
    case StreamKind::kChat: {
      Chatting<Note> reactor(course);
      stub.async()->Chat(context, &reactor);
      reactor.Begin();
      reactor.AwaitDone();
      return;
    }
  }
}

// --- Completion queue: one thing at a time ---

class Queue {
 public:
  ~Queue() {
    queue_.Shutdown();
    void* tag;
    bool ok;
    while (queue_.Next(&tag, &ok)) ADD_FAILURE() << "an event nobody awaits";
  }
  grpc::CompletionQueue* get() { return &queue_; }
  // Waits for the tag that was started last.
  bool Await() {
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue_.Next(&tag, &ok));
    EXPECT_EQ(tag, Tag());
    return ok;
  }
  void* Tag() { return &queue_; }

 private:
  grpc::CompletionQueue queue_;
};

template <typename Message, typename Stream>
void WriteAll(Stream& stream, Queue* queue, Course* course) {
  for (size_t i = 0; i < course->sends().size(); ++i) {
    course->BeforeSend(i);
    stream.Write(MessageOf<Message>(course->sends()[i]), queue->Tag());
    if (!queue->Await()) return;
    ++course->result.sent;
  }
  course->BeforeClose();
  stream.WritesDone(queue->Tag());
  queue->Await();
}

template <typename Message, typename Stream>
void ReadAll(Stream& stream, Queue* queue, Course* course) {
  if (course->asks_for_headers()) {
    stream.ReadInitialMetadata(queue->Tag());
    queue->Await();
  }
  Message message;
  for (;;) {
    stream.Read(&message, queue->Tag());
    if (!queue->Await()) return;
    course->Read(message);
  }
}

template <typename Stream>
void FinishStream(Stream& stream, Queue* queue, Course* course) {
  stream.Finish(&course->result.status, queue->Tag());
  EXPECT_TRUE(queue->Await());
}

void RunQueue(Kinds::Stub& stub, StreamKind kind, grpc::ClientContext* context,
              Course* course) {
  Queue queue;
  Note note;
  switch (kind) {
    case StreamKind::kDownload: {
      course->BeforeSend(0);
      const auto reader = stub.AsyncDownload(
          context, NoteOf(course->sends().front()), queue.get(), queue.Tag());
      queue.Await();
      ReadAll<Note>(*reader, &queue, course);
      FinishStream(*reader, &queue, course);
      return;
    }
    case StreamKind::kUpload: {
      const auto writer =
          stub.AsyncUpload(context, &note, queue.get(), queue.Tag());
      queue.Await();
      WriteAll<Note>(*writer, &queue, course);
      if (course->asks_for_headers()) {
        writer->ReadInitialMetadata(queue.Tag());
        queue.Await();
      }
      FinishStream(*writer, &queue, course);
      if (course->result.status.ok()) course->Read(note);
      return;
    }
    case StreamKind::kChat: {
      const auto both = stub.AsyncChat(context, queue.get(), queue.Tag());
      queue.Await();
      WriteAll<Note>(*both, &queue, course);
      ReadAll<Note>(*both, &queue, course);
      FinishStream(*both, &queue, course);
      return;
    }
  }
}

void RunGenericQueue(grpc::GenericStub& stub, StreamKind kind,
                     grpc::ClientContext* context, Course* course) {
  Queue queue;
  const auto both = stub.PrepareCall(context, MethodName(kind), queue.get());
  both->StartCall(queue.Tag());
  queue.Await();
  WriteAll<grpc::ByteBuffer>(*both, &queue, course);
  ReadAll<grpc::ByteBuffer>(*both, &queue, course);
  FinishStream(*both, &queue, course);
}

void RunGenericCallback(grpc::GenericStub& stub, StreamKind kind,
                        grpc::ClientContext* context, Course* course) {
  Chatting<grpc::ByteBuffer> reactor(course);
  stub.PrepareBidiStreamingCall(context, MethodName(kind), {}, &reactor);
  reactor.Begin();
  reactor.AwaitDone();
}

}  // namespace

std::string KindName(StreamKind kind) {
  static const char* const names[] = {"Download", "Upload", "Chat"};
  return names[static_cast<int>(kind)];
}

std::string StyleName(StreamStyle style) {
  static const char* const names[] = {"Sync", "Callback", "Queue",
                                      "GenericQueue", "GenericCallback"};
  return names[static_cast<int>(style)];
}

std::string MethodName(StreamKind kind) {
  return "/forbear.testing.Kinds/" + KindName(kind);
}

StreamResult Run(const std::shared_ptr<grpc::ChannelInterface>& channel,
                 StreamStyle style, StreamKind kind,
                 grpc::ClientContext* context, const StreamPlan& plan) {
  Course course(kind, plan);
  Kinds::Stub stub(channel);
  grpc::GenericStub generic(channel);
  switch (style) {
    case StreamStyle::kSync:
      RunSync(stub, kind, context, &course);
      break;
    case StreamStyle::kCallback:
      RunCallback(stub, kind, context, &course);
      break;
    case StreamStyle::kQueue:
      RunQueue(stub, kind, context, &course);
      break;
    case StreamStyle::kGenericQueue:
      RunGenericQueue(generic, kind, context, &course);
      break;
    case StreamStyle::kGenericCallback:
      RunGenericCallback(generic, kind, context, &course);
      break;
  }
  return course.result;
}

}  // namespace testing
}  // namespace forbear
