// SPDX-License-Identifier: MIT
// The scopes of each thread, from the inner one outwards.
#include "dwell/base/interruption.hpp"

#include "dwell/base/error.hpp"

namespace dwell {
namespace {

struct thread_scope {
  interruption_scope* scope = nullptr;
  bool own = false;  ///< the thread has made it
};
thread_local thread_scope mine;

}  // namespace

interruption_scope::interruption_scope(std::function<bool()> wanted,
                                       std::chrono::milliseconds between)
    : wanted_(std::move(wanted)),
      between_(between),
      outer_(mine.scope),
      outer_is_own_(mine.own),
      next_(std::chrono::steady_clock::now()) {
  mine = {this, true};
}
interruption_scope::~interruption_scope() { mine = {outer_, outer_is_own_}; }

bool interruption_scope::wanted_outside() const {
  try {
    if (outer_) outer_->poll(outer_is_own_);
    return false;
  } catch (const interrupted_error&) {
    return true;
  }
}

interruption_scope* interruption_scope::current() { return mine.scope; }

interruption_scope::member::member(interruption_scope* of) { mine = {of, false}; }
interruption_scope::member::~member() { mine = {}; }

void interruption_scope::poll(bool own_thread) {
  if (!wanted_) return;
  if (ended_.load(std::memory_order_relaxed)) throw interrupted_error("interrupted");
  if (outer_) outer_->poll(own_thread && outer_is_own_);
  if (!own_thread) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + between_;
  bool wanted = true;  // also where the question throws: the other threads end too
  struct publish {
    interruption_scope& of;
    const bool& wanted;
    ~publish() {
      if (wanted) of.ended_.store(true, std::memory_order_relaxed);
    }
  };
  const publish on_return{*this, wanted};
  wanted = wanted_();
  if (wanted) throw interrupted_error("interrupted");
}

void poll_interruption() {
  if (mine.scope) mine.scope->poll(mine.own);
}

}  // namespace dwell
