// SPDX-License-Identifier: MIT
// Between a run, which does not hold the interpreter's lock, and Python: signals such as Ctrl-C are
// looked for, and the caller's progress function is called. What either raises ends the run as an
// interrupt does, so that the answer so far is kept, and is raised when the caller asks for it.
#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"

namespace dwell::python {

namespace nb = nanobind;

/// What a function of the caller's says by its return: not to go on by False and by a false scalar
/// of a library's boolean type, such as numpy.False_; anything else is ignored.
bool goes_on(const nb::object& answer);

class listener {
 public:
  /// `interval`: seconds between two calls of a progress function; 0: every iteration.
  explicit listener(double interval) : interval_(interval) {}
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  /// How often the library is to call: signals are not kept waiting for a rare progress function.
  double library_interval() const { return interval_ < most_wait ? interval_ : most_wait; }

  /// A run begins, with a progress function or None. Needs the interpreter's lock.
  void begin(nb::object progress);
  /// It has ended. Needs the interpreter's lock.
  void end() { progress_ = nb::object(); }

  /// Called by a run, without the lock: go on? `say` calls the progress function.
  bool publish(const std::function<nb::object(const nb::object&)>& say);

  /// Called by work that is no run, without the lock: has a signal come whose handler raises?
  bool interrupted();

  /// Raises what ended the last run, once; does nothing if nothing did.
  void raise_pending();

 private:
  using clock = std::chrono::steady_clock;
  static constexpr double most_wait = 0.1;

  const double interval_;
  nb::object progress_;
  clock::time_point due_;
  std::exception_ptr raised_;
};

/// f() with the lock released. It may be interrupted: then what the handler of a signal raised is
/// thrown on.
template <class F>
auto interruptible(listener& receiver, F&& f) {
  try {
    const nb::gil_scoped_release released;
    const interruption_scope scope([&] { return receiver.interrupted(); });
    return f();
  } catch (const interrupted_error&) {
    receiver.raise_pending();
    throw;
  }
}
template <class F>
auto interruptible(F&& f) {
  listener receiver(0);
  return interruptible(receiver, std::forward<F>(f));
}

/// A run with the lock released, and set-ups within it.
template <class F>
auto run_listening(listener& receiver, nb::object progress, F&& run) {
  struct session {
    listener& receiver;
    ~session() { receiver.end(); }
  };
  receiver.begin(std::move(progress));
  const session s{receiver};
  const nb::gil_scoped_release released;
  const interruption_scope scope([&] { return receiver.interrupted(); });
  return run();
}

/// run() in a thread of its own with the lock released, while the caller's looks for signals: what
/// the handler of one raises sets `interrupt`, at which the run is to end.
template <class F>
auto run_watched(listener& receiver, std::atomic<bool>& interrupt, F&& run) {
  receiver.begin(nb::none());
  const nb::gil_scoped_release released;
  auto outcome = std::async(std::launch::async, [&] {
    const interruption_scope scope([&] { return interrupt.load(); });
    return run();
  });
  while (outcome.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
    if (!interrupt && receiver.interrupted()) interrupt = true;
  interrupt = false;
  return outcome.get();
}

}  // namespace dwell::python
