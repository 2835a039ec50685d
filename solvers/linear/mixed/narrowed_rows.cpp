// SPDX-License-Identifier: MIT
// Copies values to f32, and exchanges ghosts of f64 vectors.
#include "dwell/solvers/linear/mixed/narrowed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/device/cuda_backend.hpp"

namespace dwell {
namespace {

/// What rounding to f32 may have changed.
struct magnitudes {
  double most = 0, least_diagonal = std::numeric_limits<double>::infinity(), most_diagonal = 0;
  bool positive = true, full = true;  ///< the diagonal
};

magnitudes of_rows(const csr_view<float>& a) {
  magnitudes out;
  for (index i = 0; i < a.rows; ++i) {
    double diagonal = 0;
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const double v = static_cast<double>(a.val[k]);
      out.most = std::max(out.most, std::abs(v));
      if (a.col[k] == i) diagonal = v;
    }
    out.full &= diagonal != 0.0;
    if (diagonal > 0.0) {
      out.least_diagonal = std::min(out.least_diagonal, diagonal);
      out.most_diagonal = std::max(out.most_diagonal, diagonal);
    } else {
      out.positive = false;
    }
  }
  return out;
}

}  // namespace

divided_rows<float> narrowed_rows(const device& where, const prepared_system<double>& matrix,
                                  const float* there, std::vector<float>& here,
                                  const matrix_demand& demand) {
  const csr_view<double>& wide = matrix.given_rows();
  const csr_arrays<double> arrays = matrix.arrays().in_32_bits();
  communicator& comm = *matrix.ranks()->comm;
  const float* values = there;
  if (where.on() != backend::cpu) {
    here.resize(static_cast<std::size_t>(arrays.nonzeros));
    memory_of(where.on()).download(where, here.data(), there, here.size() * sizeof(float));
    values = here.data();
  }
  divided_rows<float> out;
  out.rows = {wide.rows, wide.cols, wide.row_ptr, wide.col, values};
  out.placed = {arrays.rows, arrays.cols, arrays.nonzeros, arrays.row_ptr, arrays.col, there};
  out.ranks = matrix.ranks();
  magnitudes all;
  for (const magnitudes& one : values_of_ranks(comm, of_rows(out.rows))) {
    all.most = std::max(all.most, one.most);
    all.least_diagonal = std::min(all.least_diagonal, one.least_diagonal);
    all.most_diagonal = std::max(all.most_diagonal, one.most_diagonal);
    all.positive &= one.positive;
    all.full &= one.full;
  }
  out.facts = matrix.facts();
  out.facts.exponent = exponent_of(all.most);
  out.facts.positive_diagonal &= all.positive;
  out.facts.full_diagonal &= all.full;
  out.facts.least_diagonal = all.most_diagonal > 0.0 ? all.least_diagonal : 0.0;
  out.facts.most_diagonal = all.most_diagonal;
  together(comm, [&] {
    if (!demand.met_by(out.facts))
      throw input_error("matrix: expected a diagonal that f32 holds, found elements too small");
  });
  return out;
}

vector_ghosts::vector_ghosts(const device& where, const row_ranks& ranks, double* vector) {
  if (ranks.gpus)
    by_gpus_ =
        std::make_unique<device_halo>(where, *ranks.gpus, *ranks.halo, vector, sizeof(double));
  else
    by_host_ = std::make_unique<halo_exchange>(*ranks.comm, *ranks.halo, vector, sizeof(double));
}

void vector_ghosts::exchange(const device& where) {
  if (by_gpus_) by_gpus_->run(where.stream());
  if (by_host_) by_host_->run();
}

}  // namespace dwell
