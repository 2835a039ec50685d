// SPDX-License-Identifier: MIT
// See listener.hpp.
#include "listener.hpp"

#include <utility>

namespace dwell::python {

void listener::begin(nb::object progress) {
  progress_ = std::move(progress);
  raised_ = nullptr;
  due_ = clock::now() +
         std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(interval_));
}

bool listener::tell(const std::function<nb::object(const nb::object&)>& say) {
  const nb::gil_scoped_acquire lock;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress_.is_valid() || progress_.is_none()) return true;
    const auto now = clock::now();
    if (interval_ > most_wait) {
      if (now < due_) return true;
      due_ = now +
             std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(interval_));
    }
    return !say(progress_).is(nb::bool_(false));
  } catch (...) {
    raised_ = std::current_exception();
    return false;
  }
}

void listener::raise_pending() {
  if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
}

}  // namespace dwell::python
