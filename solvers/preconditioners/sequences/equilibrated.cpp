// SPDX-License-Identifier: MIT
// Steps on either backend, and the loops on a CPU.
#include "dwell/solvers/preconditioners/sequences/equilibrated.hpp"

#include <utility>
#include <vector>

#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/preconditioners/sequences/equilibrating.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up_table.hpp"

namespace dwell {
namespace {

using on_cpu = sequences::equilibration<cpu::setup_loops>;

csr_arrays<double> of_ones(const auto& a, const matrix_units& units) {
  return {a.rows, a.cols, a.nonzeros, a.row_ptr, a.col, units.val.data()};
}

/// What S A S takes to about zero where A does so with `vectors`: S^-1 times these.
std::vector<double> in_units(const device& where, const matrix_units& units,
                             std::vector<double> vectors) {
  const auto n = static_cast<std::size_t>(units.rows);
  if (vectors.empty() || n == 0 || vectors.size() % n != 0) return vectors;
  std::vector<double> unit(n);
  memory_of(where.on()).download(where, unit.data(), units.units->data(), n * sizeof(double));
  for (std::size_t k = 0; k < vectors.size(); ++k) vectors[k] /= unit[k % n];
  return vectors;
}

}  // namespace

template <class T>
void find_units(const device& where, const csr_arrays<T>& a, bool with_values, matrix_units& to) {
  if (where.on() == backend::cuda)
    return cuda_backend<chain_set_ups<T>>().find_units(where, a, with_values, to);
  on_cpu(where).find(a, with_values, to);
}

template <class T>
prepared_preconditioner equilibrated(const device& where, const csr_arrays<T>& a,
                                     const preconditioner_options& o, make_sequence<T> plain,
                                     make_sequence<double> make) {
  const auto units = std::make_shared<matrix_units>();
  find_units(where, a, false, *units);
  if (!units->wide()) return plain(where, a, o);
  preconditioner_options scaled = o;
  scaled.near_null = in_units(where, *units, o.near_null);
  prepared_preconditioner out = make(where, of_ones(a, *units), scaled);
  owned_sequence& products = out.products;
  products.units = units->units;
  products.sequence.units = units->units->data();
  products.sequence.bytes = bytes_of_products(products);
  out.wide_units = true;
  if (out.refresh)
    out.refresh = [where, units, again = std::move(out.refresh)](const void* values) {
      const auto& given = *static_cast<const csr_arrays<T>*>(values);
      find_units(where, given, true, *units);
      const csr_arrays<double> arrays = of_ones(given, *units);
      again(&arrays);
    };
  return out;
}

template void find_units(const device&, const csr_arrays<double>&, bool, matrix_units&);
template void find_units(const device&, const csr_arrays<float>&, bool, matrix_units&);
template prepared_preconditioner equilibrated(const device&, const csr_arrays<double>&,
                                              const preconditioner_options&, make_sequence<double>,
                                              make_sequence<double>);
template prepared_preconditioner equilibrated(const device&, const csr_arrays<float>&,
                                              const preconditioner_options&, make_sequence<float>,
                                              make_sequence<double>);

}  // namespace dwell
