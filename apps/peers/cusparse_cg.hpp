// SPDX-License-Identifier: MIT
// A peer to be measured against: textbook conjugate gradients, and Bi-CGSTAB as published (van der
// Vorst 1992), from cuSPARSE (SpMV) and cuBLAS (dot, axpy, scal), as a user who knows both would
// write it. Scalars stay on the device (device pointer mode, one-thread kernels divide), nothing
// returns to the host within an iteration, and the iterations run in a stream or as a CUDA graph.
// f64. Uses nothing of Dwell but its CSR view.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dwell/formats/csr.hpp"

namespace dwell::peers {

class cusparse_cg {
 public:
  enum class mode { stream, graph };
  enum class method { cg, bicgstab };
  enum class algorithm { best, plain, alg1, alg2 };  ///< SpMV; best: the fastest of three, timed
  /// p = r + beta p: by scal and axpy as in every textbook code, or by one dgeam.
  enum class direction { scal_axpy, geam };

  struct options {
    int device = 0;
    method solver = method::cg;
    algorithm spmv = algorithm::best;
    direction update = direction::scal_axpy;
    int graph_iterations = 10;  ///< iterations recorded in one graph
  };

  /// Copies the matrix, chooses the SpMV, records nothing yet. Throws device_error.
  cusparse_cg(const csr_view<double>& a, std::span<const double> b, const options& o);
  ~cusparse_cg();
  cusparse_cg(const cusparse_cg&) = delete;
  cusparse_cg& operator=(const cusparse_cg&) = delete;

  /// Exactly `iterations` from x = 0; seconds between two events on the stream, set-up of vectors
  /// and recording of graphs not counted.
  double run(mode how, int iterations);

  struct outcome {
    int iterations = 0;
    bool converged = false;
    double seconds = 0;  ///< by the host's clock: the checks wait for the device
  };
  /// From x = 0 until ||r|| <= rtol ||b||, looked at by the host after every `check_every`
  /// iterations.
  outcome solve(mode how, double rtol, int max_iterations, int check_every);

  std::vector<double> x() const;
  double recursive_residual() const;  ///< ||r|| / ||b||
  std::string spmv_algorithm() const;
  std::string device_name() const;

 private:
  struct state;
  std::unique_ptr<state> s_;
};

std::string to_string(cusparse_cg::mode m);

}  // namespace dwell::peers
