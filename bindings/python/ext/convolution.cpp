// SPDX-License-Identifier: MIT
// Convolutions, scans and tables of arrays of the host and of a GPU. Runs release the interpreter's
// lock.
#include "dwell/arrays/convolution.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "fields.hpp"
#include "listener.hpp"
#include "report_values.hpp"
#include "stencil_values.hpp"

#include "dwell/arrays/convolution_runner.hpp"
#include "dwell/arrays/explain_convolution.hpp"
#include "dwell/arrays/scan.hpp"
#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/solvers/arrays/convolution/report_table.hpp"

namespace dwell::python {
namespace {

fields convolution_dict(const convolution_report& r) {
  return report_fields(convolution_report_table(), r);
}

fields seconds_dict(const convolution_seconds& t) {
  fields out;
  out["all"] = t.all;
  out["memory"] = t.memory;
  out["multiply_adds"] = t.multiply_adds;
  out["moves"] = t.moves;
  out["chain"] = t.chain;
  out["launch"] = t.launch;
  return out;
}

fields algorithm_dict(const convolution_algorithm_plan& w) {
  fields out;
  out["algorithm"] = w.algorithm;
  out["refusal"] = w.refusal;
  out["rows"] = w.rows;
  out["columns"] = w.columns;
  out["halo"] = w.halo;
  out["shared"] = w.shared;
  out["projected"] = seconds_dict(w.projected);
  return out;
}

fields explanation_dict(const convolution_explanation& e) {
  fields out, systolic;
  out["device"] = e.device.name;
  out["backend"] = to_string(e.device.on);
  out["projected"] = e.projected;
  out["algorithm"] = e.algorithm;
  out["reason"] = e.reason;
  out["taps"] = e.taps;
  out["decides"] = e.decides;
  nb::list passes, algorithms;
  for (const auto& p : e.passes) {
    fields pass;
    pass["taps"] = tuple_of(p.taps);
    pass["projected"] = seconds_dict(p.projected);
    passes.append(pass);
  }
  for (const auto& w : e.algorithms) algorithms.append(algorithm_dict(w));
  out["passes"] = passes;
  out["algorithms"] = algorithms;
  const systolic_quantities& q = e.systolic;
  systolic["tap_columns"] = q.tap_columns;
  systolic["tap_rows"] = q.tap_rows;
  systolic["sum_rows"] = q.sum_rows;
  systolic["cached_rows"] = q.cached_rows;
  systolic["warp_columns"] = q.warp_columns;
  systolic["halo_ratio"] = q.halo_ratio;
  for (const char* unknown : {"latencies", "latency_shared", "latency_systolic"})
    systolic[unknown] = nb::none();
  if (q.has_latencies()) {
    systolic["latencies"] =
        nb::make_tuple(q.latencies.multiply_add, q.latencies.shared_read, q.latencies.shuffle);
    systolic["latency_shared"] = q.latency_shared;
    systolic["latency_systolic"] = q.latency_systolic;
  }
  out["systolic"] = systolic;
  return out;
}

/// instead: facts of a device that need not be here, by name.
fields explain_images(const device& where, const std::optional<std::string>& instead,
                      const std::vector<std::int64_t>& shape, std::int64_t images,
                      const convolution_filter& filter, const convolution_options& options,
                      const std::string& cells, const std::string& result) {
  const extents size = extents_of(shape);
  const convolution_explanation e = [&] {
    const nb::gil_scoped_release released;
    return explain(size, images, filter, instead ? facts_of(*instead) : where.facts(), options,
                   cells, result);
  }();
  return explanation_dict(e);
}

filter_passes passes_named(const std::string& name) {
  if (name == "auto") return filter_passes::automatic;
  if (name == "one") return filter_passes::one;
  if (name == "each-axis") return filter_passes::each_axis;
  throw input_error("passes: expected 'auto', 'one' or 'each-axis', found '" + name + "'");
}

scan_options scan_options_of(const std::string& operation, bool exclusive) {
  if (operation != "sum" && operation != "max")
    throw input_error("operation: expected 'sum' or 'max', found '" + operation + "'");
  return {operation == "sum" ? scan_operation::sum : scan_operation::max, exclusive, false};
}

template <class In, class Out>
fields convolve_arrays(const device& where, const std::vector<std::int64_t>& shape,
                       const host_field<const In>& in, const host_field<Out>& out,
                       const convolution_filter& filter, const convolution_options& options) {
  const extents size = extents_of(shape);
  const auto from = host_span(in);
  const auto to = host_span(out);
  return convolution_dict(
      interruptible([&] { return convolve<In, Out>(where, size, from, to, filter, options); }));
}

template <class T>
void scan_arrays(const device& where, const host_vector<const T>& in, const host_vector<T>& out,
                 const std::string& operation, bool exclusive) {
  const scan_options options = scan_options_of(operation, exclusive);
  const auto from = host_span(in);
  const auto to = host_span(out);
  interruptible([&] { scan<T>(where, from, to, options); });
}

template <class T>
void scan_cuda_arrays(const device& where, const cuda_vector<const T>& in,
                      const cuda_vector<T>& out, const std::string& operation, bool exclusive) {
  const scan_options options = scan_options_of(operation, exclusive);
  const auto from = cuda_span(in);
  const auto to = cuda_span(out);
  interruptible([&] { scan<T>(where, from, to, options); });
}

template <class Array>
extents image_size(const Array& a) {
  return extents_of({static_cast<std::int64_t>(a.shape(0)), static_cast<std::int64_t>(a.shape(1))});
}
template <class T>
grid_view<T> image_view(const host_field<T>& a) {
  return {image_size(a), a.data()};
}

template <class T>
void table_of_arrays(const device& where, const host_field<const T>& in, const host_field<T>& out) {
  interruptible([&] { summed_area_table<T>(where, image_view(in), image_view(out)); });
}

template <class T>
void means_of_arrays(const device& where, const host_field<const T>& in, const host_field<T>& out,
                     int rows, int columns) {
  interruptible([&] { box_mean<T>(where, image_view(in), image_view(out), rows, columns); });
}

template <class T>
void table_of_cuda_arrays(const device& where, const cuda_field<const T>& in,
                          const cuda_field<T>& out) {
  const auto from = cuda_span(in);
  const auto to = cuda_span(out);
  interruptible([&] { summed_area_table<T>(where, image_size(in), from, to); });
}
template <class T>
void means_of_cuda_arrays(const device& where, const cuda_field<const T>& in,
                          const cuda_field<T>& out, int rows, int columns) {
  const auto from = cuda_span(in);
  const auto to = cuda_span(out);
  interruptible([&] { box_mean<T>(where, image_size(in), from, to, rows, columns); });
}

template <class T>
void add_floats(nb::module_& m) {
  const auto arg = [](const char* of) { return nb::arg(of).noconvert(); };
  m.def("summed_area_table", &table_of_arrays<T>, nb::arg("device"), arg("image"), arg("out"));
  m.def("box_mean", &means_of_arrays<T>, nb::arg("device"), arg("image"), arg("out"),
        nb::arg("rows"), nb::arg("columns"));
  m.def("summed_area_table_cuda", &table_of_cuda_arrays<T>, nb::arg("device"), arg("image"),
        arg("out"));
  m.def("box_mean_cuda", &means_of_cuda_arrays<T>, nb::arg("device"), arg("image"), arg("out"),
        nb::arg("rows"), nb::arg("columns"));
}

/// dwell::convolution_runner<In, Out>: images in and out of arrays of the caller.
template <class In, class Out>
class held_convolution {
 public:
  held_convolution(const device& where, const std::vector<std::int64_t>& shape,
                   const convolution_filter& filter, const convolution_options& options,
                   std::int64_t images) {
    const extents size = extents_of(shape);
    interruptible([&] { runner_.emplace(where, size, filter, options, images); });
  }
  void run(const host_field<const In>& in, const host_field<Out>& out) {
    const auto from = host_span(in);
    const auto to = host_span(out);
    interruptible([&] { runner_->run(from, to); });
  }
  void run_there(const cuda_field<const In>& in, const cuda_field<Out>& out) {
    const auto from = cuda_span(in);
    const auto to = cuda_span(out);
    const nb::gil_scoped_release released;
    runner_->run(from, to);
  }
  void start_there(const cuda_field<const In>& in, const cuda_field<Out>& out) {
    const auto from = cuda_span(in);
    const auto to = cuda_span(out);
    const nb::gil_scoped_release released;
    runner_->run_async(from, to);
  }
  void wait() {
    const nb::gil_scoped_release released;
    runner_->wait();
  }
  fields report() const { return convolution_dict(runner_->report()); }

 private:
  std::optional<convolution_runner<In, Out>> runner_;
};

/// convolve(), and the runner by `name`.
template <class In, class Out>
void add_cells(nb::module_& m, const char* name) {
  const auto arg = [](const char* of) { return nb::arg(of).noconvert(); };
  m.def("convolve", &convolve_arrays<In, Out>, nb::arg("device"), nb::arg("shape"), arg("images"),
        arg("out"), nb::arg("filter"), nb::arg("options"));
  using runner = held_convolution<In, Out>;
  nb::class_<runner>(m, name)
      .def(nb::init<const device&, const std::vector<std::int64_t>&, const convolution_filter&,
                    const convolution_options&, std::int64_t>(),
           nb::arg("device"), nb::arg("shape"), nb::arg("filter"), nb::arg("options"),
           nb::arg("images"))
      .def("run", &runner::run, arg("images"), arg("out"))
      .def("run_cuda", &runner::run_there, arg("images"), arg("out"))
      .def("start_cuda", &runner::start_there, arg("images"), arg("out"))
      .def("wait", &runner::wait)
      .def("report", &runner::report);
}

template <class T>
void add_scan(nb::module_& m) {
  m.def("scan", &scan_arrays<T>, nb::arg("device"), nb::arg("values").noconvert(),
        nb::arg("out").noconvert(), nb::arg("operation"), nb::arg("exclusive"));
  m.def("scan_cuda", &scan_cuda_arrays<T>, nb::arg("device"), nb::arg("values").noconvert(),
        nb::arg("out").noconvert(), nb::arg("operation"), nb::arg("exclusive"));
}

}  // namespace

void add_convolution(nb::module_& m) {
  nb::class_<convolution_filter>(m, "Filter")
      .def_static("named", [](const std::string& text) { return convolution_filter::named(text); })
      .def_static("of",
                  [](const std::vector<std::int64_t>& shape, std::vector<double> weights) {
                    return convolution_filter(extents_of(shape), std::move(weights));
                  })
      .def_static("product",
                  [](std::vector<double> down, std::vector<double> across) {
                    return convolution_filter::product(std::move(down), std::move(across));
                  })
      .def_static("product", [](std::vector<double> deep, std::vector<double> down,
                                std::vector<double> across) {
        return convolution_filter::product(std::move(deep), std::move(down), std::move(across));
      });
  nb::class_<convolution_options>(m, "ConvolutionOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "border", [](const convolution_options& o) { return to_string(o.edge); },
          [](convolution_options& o, const std::string& name) { o.edge = parse_border(name); })
      .def_rw("correlate", &convolution_options::correlate)
      .def_rw("algorithm", &convolution_options::algorithm)
      .def("set_passes",
           [](convolution_options& o, const std::string& name) { o.passes = passes_named(name); });
  m.def("convolution_report_table", [] { return report_rows(convolution_report_table()); });
  m.def("explain_convolution", &explain_images, nb::arg("device"), nb::arg("device_facts").none(),
        nb::arg("shape"), nb::arg("images"), nb::arg("filter"), nb::arg("options"),
        nb::arg("cells"), nb::arg("result"));
  add_cells<double, double>(m, "ConvolutionRunnerF64");
  add_cells<float, float>(m, "ConvolutionRunnerF32");
  add_cells<std::uint8_t, std::uint8_t>(m, "ConvolutionRunnerU8");
  add_cells<std::uint8_t, float>(m, "ConvolutionRunnerU8F32");
  add_cells<half, half>(m, "ConvolutionRunnerF16");
  add_cells<half, float>(m, "ConvolutionRunnerF16F32");
  add_floats<double>(m);
  add_floats<float>(m);
  add_scan<double>(m);
  add_scan<float>(m);
  add_scan<std::int32_t>(m);
  add_scan<std::int64_t>(m);
}

}  // namespace dwell::python
