// SPDX-License-Identifier: MIT
// Where the data of a batch of systems are (batch_steps.hpp). Private to the solver.
#pragma once
#include <cstddef>
#include <type_traits>

#include "dwell/base/fn.hpp"
#include "dwell/solvers/linear/run/solve_places.hpp"

namespace dwell {

/// The extreme elements of the diagonal of a system's matrix; 0 without rows.
struct diagonal_range {
  double least = 0, most = 0;
};

/// Where the data of all systems are: rows of system k follow those of system k - 1.
template <class T>
struct batch_places {
  solve_places<T> all;  ///< the whole; target2, step, stop, rr and numbers are those of system 0
  int count = 0;        ///< systems
  const index* first_rows = nullptr;  ///< count + 1
  std::size_t system_stride = 0;      ///< bytes from system to system: target2, step, stop, rr

  DWELL_HD solve_places<T> of(int system) const {
    const index first = first_rows[system];
    solve_places<T> at = all;
    at.a.rows = at.a.cols = first_rows[system + 1] - first;
    if (at.a.rows > 0) at.a.row_ptr = at.a.row_ptr.from(first);
    at.a.nonzeros = at.a.rows > 0 ? at.a.row_ptr[at.a.rows] - at.a.row_ptr[0] : 0;
    at.first_column = first;
    at.b += first;
    at.x += first;
    at.run_x += first;
    at.run_rhs += first;
    if (at.inverse_diagonal) at.inverse_diagonal += first;
    at.residual += first;
    at.target2 = further(at.target2, system);
    at.step = further(at.step, system);
    at.stop = further(at.stop, system);
    at.rr = further(at.rr, system);
    at.numbers += system;
    return at;
  }

 private:
  template <class V>
  DWELL_HD V* further(V* p, int system) const {
    using byte = std::conditional_t<std::is_const_v<V>, const char, char>;
    return reinterpret_cast<V*>(reinterpret_cast<byte*>(p) +
                                static_cast<std::size_t>(system) * system_stride);
  }
};

}  // namespace dwell
