// SPDX-License-Identifier: MIT
// What `dwell compare` measures beside Dwell's own executors. A peer that cannot run says why in
// its row. Both return false if interrupted.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "linear/comparison_run.hpp"
#include "linear/whole_solves.hpp"

#include "dwell/formats/csr.hpp"

namespace dwell::app {

/// cuSPARSE and cuBLAS, in a stream and in a CUDA graph: the program peer-cusparse-cg, found beside
/// this one. Adds two rows.
bool add_cusparse(const comparison_request& request, const std::string& matrix,
                  std::vector<compared_run>& rows);

/// Eigen's ConjugateGradient on CPU threads. Adds a row.
bool add_eigen(const comparison_request& request, const csr_view<double>& a,
               std::span<const double> b, std::vector<compared_run>& rows);
bool add_eigen(const comparison_request& request, const csr_view<float>& a,
               std::span<const float> b, std::vector<compared_run>& rows);

/// What peers are asked for in a comparison of whole solves.
struct peer_solve {
  const device& where;
  int threads = 0;  ///< 0: all there are
  double rtol = 0;
  int max_iterations = 0;
  const repetition& runs;
};

/// Eigen's solves, each with its set-up: ConjugateGradient for symmetric matrices, else BiCGSTAB,
/// with the diagonal and with an incomplete factorisation. Adds two rows.
bool add_eigen_solves(const peer_solve& asked, const csr_view<double>& a, std::span<const double> b,
                      std::vector<compared_solve>& rows);
bool add_eigen_solves(const peer_solve& asked, const csr_view<float>& a, std::span<const float> b,
                      std::vector<compared_solve>& rows);

}  // namespace dwell::app
