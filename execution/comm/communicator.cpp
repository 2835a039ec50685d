// SPDX-License-Identifier: MIT
// One rank alone, and ranks that are threads of this process: they read each other's memory between
// two barriers.
#include "dwell/comm/communicator.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/threads/thread_limit.hpp"
#include "dwell/execution/device/threads/threads_cpu.hpp"
#include "dwell/execution/device/threads/waiting_cpu.hpp"

namespace dwell {
namespace {

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

/// Messages to oneself, by their order.
void check_pair(const rank_message& out, const rank_message& in) {
  if (out.bytes != in.bytes)
    throw input_error("message: expected as many bytes as were sent (" + std::to_string(out.bytes) +
                      "), found room for " + std::to_string(in.bytes));
}

class own_messages final : public message_set {
 public:
  own_messages(std::vector<rank_message> out, std::vector<rank_message> in)
      : out_(std::move(out)), in_(std::move(in)) {
    if (out_.size() != in_.size())
      throw input_error("messages of a rank to itself: expected as many to it as from it");
    for (std::size_t k = 0; k < in_.size(); ++k) check_pair(out_[k], in_[k]);
  }
  void start() override {
    for (std::size_t k = 0; k < in_.size(); ++k)
      copy_bytes(in_[k].data, out_[k].data, in_[k].bytes);
  }
  void finish() override {}

 private:
  std::vector<rank_message> out_, in_;
};

class alone final : public communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int ranks_here() const override { return 1; }
  const char* transport() const override { return "self"; }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    copy_bytes(all, mine, bytes);
  }
  std::unique_ptr<message_set> messages(std::vector<rank_message> out,
                                        std::vector<rank_message> in) override {
    return std::make_unique<own_messages>(std::move(out), std::move(in));
  }
  void give_up(int) noexcept override {}
};

/// What the threads have in common. A rank writes to its own entries before a barrier; the others
/// read them after it, and before the next one.
struct thread_group {
  explicit thread_group(int ranks)
      : size(ranks), barrier(ranks), given(static_cast<std::size_t>(ranks)) {}
  const int size;
  cpu_barrier barrier;
  std::vector<const void*> given;
  std::mutex guard;
  /// Messages of the ranks, for each message_set in the order in which they were made.
  std::map<int, std::shared_ptr<std::vector<std::vector<rank_message>>>> sets;
};

class thread_messages final : public message_set {
 public:
  /// Every rank has put its outgoing messages into `sent`.
  thread_messages(thread_group& group, std::vector<rank_message> in,
                  std::shared_ptr<std::vector<std::vector<rank_message>>> sent, int rank)
      : group_(group), sent_(std::move(sent)) {
    std::vector<std::size_t> next(static_cast<std::size_t>(group.size));
    for (const rank_message& m : in) {
      const auto& from = (*sent_)[static_cast<std::size_t>(m.peer)];
      std::size_t& k = next[static_cast<std::size_t>(m.peer)];
      while (k < from.size() && from[k].peer != rank) ++k;
      if (k == from.size()) throw input_error("messages: expected one that its peer sends");
      check_pair(from[k], m);
      pairs_.push_back({m.data, from[k].data, m.bytes});
      ++k;
    }
  }
  void start() override {
    group_.barrier.arrive_and_wait();
    for (const pair& p : pairs_) copy_bytes(p.to, p.from, p.bytes);
  }
  void finish() override { group_.barrier.arrive_and_wait(); }

 private:
  struct pair {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  thread_group& group_;
  std::shared_ptr<std::vector<std::vector<rank_message>>> sent_;
  std::vector<pair> pairs_;
};

class thread_rank final : public communicator {
 public:
  thread_rank(std::shared_ptr<thread_group> group, int rank)
      : group_(std::move(group)), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return group_->size; }
  int ranks_here() const override { return group_->size; }
  const char* transport() const override { return "threads"; }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    group_->given[static_cast<std::size_t>(rank_)] = mine;
    group_->barrier.arrive_and_wait();
    for (std::size_t r = 0; r < group_->given.size(); ++r)
      copy_bytes(static_cast<std::byte*>(all) + r * bytes, group_->given[r], bytes);
    group_->barrier.arrive_and_wait();
  }
  std::unique_ptr<message_set> messages(std::vector<rank_message> out,
                                        std::vector<rank_message> in) override {
    const int number = made_++;
    std::shared_ptr<std::vector<std::vector<rank_message>>> sent;
    {
      const std::lock_guard lock(group_->guard);
      auto& entry = group_->sets[number];
      if (!entry)
        entry = std::make_shared<std::vector<std::vector<rank_message>>>(
            static_cast<std::size_t>(group_->size));
      sent = entry;
    }
    (*sent)[static_cast<std::size_t>(rank_)] = std::move(out);
    group_->barrier.arrive_and_wait();
    auto made = std::make_unique<thread_messages>(*group_, std::move(in), std::move(sent), rank_);
    group_->barrier.arrive_and_wait();  // all have found it
    const std::lock_guard lock(group_->guard);
    group_->sets.erase(number);
    return made;
  }
  void give_up(int) noexcept override { group_->barrier.waiting().give_up(); }

 private:
  std::shared_ptr<thread_group> group_;
  int rank_;
  int made_ = 0;
};

}  // namespace

std::shared_ptr<communicator> self_communicator() { return std::make_shared<alone>(); }

void run_as_ranks(int ranks, const std::function<void(std::shared_ptr<communicator>)>& f) {
  if (ranks < 1 || ranks > most_ranks())
    throw input_error("ranks: expected 1 to " + std::to_string(most_ranks()) +
                      " of one process, found " + std::to_string(ranks));
  const auto group = std::make_shared<thread_group>(ranks);
  first_failure failed;
  {
    const cpu::thread_set threads(ranks, [&](int rank) {
      if (!failed.guard([&] { f(std::make_shared<thread_rank>(group, rank)); }))
        group->barrier.waiting().give_up();
    });
  }
  failed.rethrow();
}

}  // namespace dwell
