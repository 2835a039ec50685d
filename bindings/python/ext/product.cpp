// SPDX-License-Identifier: MIT
// dwell::product<T> as ProductF64 and ProductF32: keeps the arrays alive that a CPU reads in place,
// and releases the interpreter's lock while it works.
#include "dwell/linear/product.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "fields.hpp"
#include "listener.hpp"
#include "matrix_views.hpp"

namespace dwell::python {
namespace {

template <class T>
class held_product {
 public:
  static std::unique_ptr<held_product> on_cuda(const device& where,
                                               const cuda_vector<const index>& row_ptr,
                                               const cuda_vector<const index>& col,
                                               const cuda_vector<const T>& val, index cols) {
    return std::make_unique<held_product>(where, row_ptr, col, val, cols);
  }
  /// Arrays of the host, or all three of a GPU.
  template <class Indices, class Values>
  held_product(const device& where, const Indices& row_ptr, const Indices& col, const Values& val,
               index cols)
      : kept_{keep(row_ptr), keep(col), keep(val)} {
    const auto a = view_of<T>(row_ptr, col, val, cols);
    interruptible([&] { product_.emplace(where, a); });
  }

  template <class Vector, class Result>
  void apply(const Vector& x, const Result& y, double alpha, double beta) {
    const auto from = view(x);
    const auto to = view(y);
    const nb::gil_scoped_release released;
    product_->apply(from, to, static_cast<T>(alpha), static_cast<T>(beta));
  }
  fields report() const {
    const product_report& r = product_->report();
    fields d;
    d["teams"] = r.teams;
    d["reason"] = r.reason.c_str();
    d["bytes"] = r.bytes;
    d["setup_s"] = r.setup_s;
    return d;
  }

 private:
  kept_array kept_[3];
  std::optional<product<T>> product_;  ///< ends before the arrays that it reads
};

template <class T>
void add(nb::module_& m, const char* name) {
  using held = held_product<T>;
  const auto arg = [](const char* of) { return nb::arg(of).noconvert(); };
  nb::class_<held>(m, name)
      .def(nb::init<const device&, const host_vector<const index>&, const host_vector<const index>&,
                    const host_vector<const T>&, index>(),
           nb::arg("device"), arg("indptr"), arg("indices"), arg("data"), nb::arg("cols"))
      .def_static("on_cuda", &held::on_cuda, nb::arg("device"), arg("indptr"), arg("indices"),
                  arg("data"), nb::arg("cols"))
      .def("apply", &held::template apply<host_vector<const T>, host_vector<T>>, arg("x"), arg("y"),
           nb::arg("alpha"), nb::arg("beta"))
      .def("apply_cuda", &held::template apply<cuda_vector<const T>, cuda_vector<T>>, arg("x"),
           arg("y"), nb::arg("alpha"), nb::arg("beta"))
      .def("report", &held::report);
}

}  // namespace

void add_product(nb::module_& m) {
  add<double>(m, "ProductF64");
  add<float>(m, "ProductF32");
}

}  // namespace dwell::python
