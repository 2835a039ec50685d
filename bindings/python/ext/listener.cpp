// SPDX-License-Identifier: MIT
// Takes the interpreter's lock for each call, and keeps what was raised.
#include "listener.hpp"

#include <string_view>
#include <utility>

namespace dwell::python {

bool goes_on(const nb::object& answer) {
  if (answer.is_none() || answer.is(nb::bool_(true))) return true;
  if (answer.is(nb::bool_(false))) return false;
  if (!nb::hasattr(answer, "dtype") || !nb::hasattr(answer, "ndim")) return true;
  const auto dtype = nb::steal<nb::str>(PyObject_Str(nb::object(answer.attr("dtype")).ptr()));
  if (!dtype.is_valid()) throw nb::python_error();
  if (!std::string_view(dtype.c_str()).ends_with("bool")  // "bool", "torch.bool"
      || nb::cast<int>(answer.attr("ndim")) != 0)
    return true;
  const int truth = PyObject_IsTrue(answer.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

void listener::begin(nb::object progress) {
  progress_ = std::move(progress);
  raised_ = nullptr;
  due_ = clock::now() +
         std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(interval_));
}

bool listener::publish(const std::function<nb::object(const nb::object&)>& say) {
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
    return goes_on(say(progress_));
  } catch (...) {
    raised_ = std::current_exception();
    return false;
  }
}

bool listener::interrupted() {
  const nb::gil_scoped_acquire lock;
  if (raised_) return true;
  if (PyErr_CheckSignals() == 0) return false;
  raised_ = std::make_exception_ptr(nb::python_error());
  return true;
}

void listener::raise_pending() {
  if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
}

}  // namespace dwell::python
