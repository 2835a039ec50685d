// SPDX-License-Identifier: MIT
// dwell::stencil_runner<T> as StencilRunnerF64 and StencilRunnerF32: fields go in and out of arrays
// of the caller, runs release the interpreter's lock.
#include "dwell/stencil/stencil_runner.hpp"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "listener.hpp"
#include "stencil_values.hpp"

#include "dwell/base/error.hpp"

namespace dwell::python {

namespace {

/// steps, why they ended, the largest change, seconds
using outcome = nb::typed<nb::tuple, int, std::string, std::optional<double>, double>;

template <class T>
class held_runner {
 public:
  held_runner(const device& where, const std::vector<std::int64_t>& shape,
              const stencil_options& options, bool has_source)
      : listener_(options.progress_interval) {
    stencil_options o = options;
    o.progress_interval = listener_.library_interval();
    o.progress = [this](const stencil_progress& now) {
      return listener_.publish(
          [&](const nb::object& progress) { return progress(now.step, now.change, now.seconds); });
    };
    const extents size = extents_of(shape);
    interruptible(listener_, [&] { runner_.emplace(where, size, o, has_source); });
  }

  void set_field(const host_field<const T>& u) {
    unlocked([&, from = view(u)] { runner_->set_field(from); });
  }
  void set_field_there(const cuda_field<const T>& u) {
    unlocked([&, from = cuda_span(u)] { runner_->set_field(from); });
  }
  void set_source(const host_field<const T>& f) {
    unlocked([&, from = view(f)] { runner_->set_source(from); });
  }
  void set_source_there(const cuda_field<const T>& f) {
    unlocked([&, from = cuda_span(f)] { runner_->set_source(from); });
  }
  void field(const host_field<T>& u) {
    unlocked([&, to = view(u)] { runner_->field(to); });
  }
  void field_there(const cuda_field<T>& u) {
    unlocked([&, to = cuda_span(u)] { runner_->field(to); });
  }
  void set_weights(const std::vector<double>& weights) { runner_->set_weights(weights); }

  outcome run(int steps, nb::object progress) {
    return tuple(
        run_listening(listener_, std::move(progress), [&] { return runner_->run(steps); }));
  }
  outcome run_until(double tolerance, int max_steps, int check_every, nb::object progress) {
    return tuple(run_listening(listener_, std::move(progress), [&] {
      return runner_->run_until(tolerance, max_steps, check_every);
    }));
  }
  /// callback(step) after every `every` steps and the last one; False ends the run.
  outcome run_pieces(int steps, int every, const nb::object& callback, nb::object progress) {
    return tuple(run_listening(listener_, std::move(progress), [&] {
      return runner_->run(steps, every, [&](const auto& now) {
        const nb::gil_scoped_acquire lock;
        return goes_on(callback(now.step()));
      });
    }));
  }
  fields report() const { return stencil_report_dict(runner_->report()); }
  void raise_pending() { listener_.raise_pending(); }

 private:
  template <class F>
  static void unlocked(F&& f) {
    const nb::gil_scoped_release released;
    f();
  }
  template <class E>
  static grid_view<E> view(const host_field<E>& a) {
    std::vector<std::int64_t> shape;
    for (std::size_t axis = 0; axis < a.ndim(); ++axis)
      shape.push_back(static_cast<std::int64_t>(a.shape(axis)));
    return {extents_of(shape), a.data()};
  }
  static outcome tuple(const stencil_outcome& o) {
    return outcome(nb::make_tuple(o.steps, to_string(o.stopped), o.change, o.solve_s));
  }

  listener listener_;
  std::optional<stencil_runner<T>> runner_;
};

template <class T>
void add_runner(nb::module_& m, const char* name) {
  using runner = held_runner<T>;
  const auto arg = [](const char* of) { return nb::arg(of).noconvert(); };
  const auto progress = [] { return nb::arg("progress").none(); };
  nb::class_<runner>(m, name)
      .def(
          nb::init<const device&, const std::vector<std::int64_t>&, const stencil_options&, bool>(),
          nb::arg("device"), nb::arg("shape"), nb::arg("options"), nb::arg("has_source"))
      .def("set_field", &runner::set_field, arg("u"))
      .def("set_field_cuda", &runner::set_field_there, arg("u"))
      .def("set_source", &runner::set_source, arg("f"))
      .def("set_source_cuda", &runner::set_source_there, arg("f"))
      .def("field", &runner::field, arg("u"))
      .def("field_cuda", &runner::field_there, arg("u"))
      .def("set_weights", &runner::set_weights, nb::arg("weights"))
      .def("run", &runner::run, nb::arg("steps"), progress())
      .def("run_until", &runner::run_until, nb::arg("tolerance"), nb::arg("max_steps"),
           nb::arg("check_every"), progress())
      .def("run_pieces", &runner::run_pieces, nb::arg("steps"), nb::arg("every"),
           nb::arg("callback"), progress())
      .def("report", &runner::report)
      .def("raise_pending", &runner::raise_pending);
}

}  // namespace

void add_stencil_runner(nb::module_& m) {
  add_runner<double>(m, "StencilRunnerF64");
  add_runner<float>(m, "StencilRunnerF32");
}

}  // namespace dwell::python
