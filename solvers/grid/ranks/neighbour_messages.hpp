// SPDX-License-Identifier: MIT
// Messages of a rank to those with the planes before and after its own, and what they cost.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/base/stopwatch.hpp"
#include "dwell/comm/communicator.hpp"
#include "dwell/solvers/grid/ranks/slab.hpp"

namespace dwell::grids {

/// What a rank has sent, and how long it was in exchanges, waits for others among it.
struct exchange_cost {
  std::size_t messages = 0, bytes = 0, sums = 0;
  double seconds = 0;

  /// f() is an exchange of so many messages.
  template <class F>
  void of(std::size_t count, std::size_t size, F&& f) {
    stopwatch clock;
    f();
    seconds += clock.lap();
    messages += count;
    bytes += size;
  }
};

/// Elements to both neighbours and from them; where there is no neighbour there are none. All ranks
/// make it, and run it, together.
template <class E>
class neighbour_messages {
 public:
  /// Numbers of elements to the rank before, to the one after, from the one before, and from the
  /// one after.
  neighbour_messages(communicator& comm, const slab& s, std::size_t to_lower_count,
                     std::size_t to_upper_count, std::size_t from_lower_count,
                     std::size_t from_upper_count)
      : to_lower(s.lower < 0 ? 0 : to_lower_count),
        to_upper(s.upper < 0 ? 0 : to_upper_count),
        from_lower(s.lower < 0 ? 0 : from_lower_count),
        from_upper(s.upper < 0 ? 0 : from_upper_count) {
    std::vector<rank_message> out, in;
    const auto add = [](std::vector<rank_message>& to, int peer, std::vector<E>& v) {
      if (peer >= 0 && !v.empty()) to.push_back({peer, v.data(), v.size() * sizeof(E)});
    };
    // Two ranks that are neighbours on both sides tell their messages apart by their order.
    add(out, s.lower, to_lower), add(out, s.upper, to_upper);
    add(in, s.upper, from_upper), add(in, s.lower, from_lower);
    count_ = out.size();
    messages_ = comm.messages(std::move(out), std::move(in));
  }
  neighbour_messages(const neighbour_messages&) = delete;

  void run(exchange_cost& cost) {
    cost.of(count_, (to_lower.size() + to_upper.size()) * sizeof(E), [&] {
      messages_->start();
      messages_->finish();
    });
  }

  std::vector<E> to_lower, to_upper, from_lower, from_upper;

 private:
  std::size_t count_ = 0;
  std::unique_ptr<message_set> messages_;
};

}  // namespace dwell::grids
