// Events in the order of their instants; ties in the order of their addition.
//
// ManualClock does the same for any function, at the price of an allocation
// for each. A fleet has a hundred million events, of a few kinds, and most are
// timeouts of one length: these come in order, and wait in a line instead of a
// heap.
//
//   EventQueue<Event> events;
//   events.Add(at, event);
//   while (!events.empty()) Handle(events.Take());   // now() moves on.
//
// Thread-safety: thread-compatible.
// Units:         nanoseconds since the beginning.
// Errors:        none. An instant that has passed counts as the present one.
#ifndef FORBEAR_EXAMPLES_LAB_EVENT_QUEUE_H_
#define FORBEAR_EXAMPLES_LAB_EVENT_QUEUE_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace lab {

template <typename Event>
class EventQueue {
 public:
  void Add(int64_t at, const Event& event) {
    heap_.push_back({std::max(at, now_), added_++, event});
    std::push_heap(heap_.begin(), heap_.end(), Later);
  }

  // The same, and fast if none that was added so is later.
  void AddInLine(int64_t at, const Event& event) {
    if (!line_.empty() && line_.back().at > at) return Add(at, event);
    line_.push_back({std::max(at, now_), added_++, event});
  }

  // Not from an empty queue.
  Event Take() {
    const bool from_line =
        heap_.empty() ||
        (!line_.empty() && Later(heap_.front(), line_.front()));
    if (!from_line) std::pop_heap(heap_.begin(), heap_.end(), Later);
    const Entry entry = from_line ? line_.front() : heap_.back();
    from_line ? line_.pop_front() : heap_.pop_back();
    now_ = entry.at;
    return entry.event;
  }

  bool empty() const { return line_.empty() && heap_.empty(); }
  int64_t now() const { return now_; }
  // How many were ever added.
  uint64_t added() const { return added_; }

 private:
  struct Entry {
    int64_t at;
    uint64_t number;
    Event event;
  };

  static bool Later(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }

  int64_t now_ = 0;
  uint64_t added_ = 0;
  std::deque<Entry> line_;  // In order.
  std::vector<Entry> heap_;
};

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_EVENT_QUEUE_H_
