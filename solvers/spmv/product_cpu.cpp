// SPDX-License-Identifier: MIT
// Products on threads of a CPU: each walks its share of the merge path row by row, in place, as the
// solvers' teams do. What a thread leaves of a row that ends in the one after is added at the end.
#include <cmath>
#include <cstdint>
#include <vector>

#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/execution/krylov/spmv/cut_matrix.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/execution/krylov/spmv/row_sums.hpp"
#include "dwell/execution/krylov/spmv/value_pack.hpp"
#include "dwell/execution/team/team_cpu.hpp"
#include "dwell/execution/team/thread_pool.hpp"
#include "dwell/solvers/spmv/product_steps.hpp"

namespace dwell {
namespace {

using row_team = cpu_team<8>;  // its prefetches alone

template <class T>
std::size_t bytes_of(const csr_view<T>& a) {
  return (sizeof(T) + sizeof(index)) * static_cast<std::size_t>(a.nonzeros()) +
         sizeof(index) * (static_cast<std::size_t>(a.rows) + 1);
}

template <class T>
class rows_on_threads final : public product_steps<T> {
 public:
  rows_on_threads(const csr_view<T>& a, const thread_choice& threads)
      : a_(a),
        why_(threads.why),
        teams_(cut(device::cpu(1), arrays_of(a), {threads.threads, false}).outline.teams),
        open_(teams_.size()),
        pool_(threads.threads) {}

  void apply(const T* x, T* y, T alpha, T beta) override {
    const auto* p = reinterpret_cast<const value_pack<T, 1>*>(x);
    if (alpha == T(1) && beta == T(0))
      apply(p, [y](index row, T sum) { y[row] = sum; });
    else if (beta == T(0))
      apply(p, [y, alpha](index row, T sum) { y[row] = alpha * sum; });
    else
      apply(p, [=](index row, T sum) { y[row] = std::fma(beta, y[row], alpha * sum); });
    for (std::size_t t = 0; t < teams_.size(); ++t)
      if (open_from(teams_[t]) < teams_[t].end.nonzero) y[teams_[t].end.row] += alpha * open_[t];
  }
  int teams() const override { return static_cast<int>(teams_.size()); }
  std::string reason() const override { return why_; }
  std::size_t matrix_bytes() const override { return bytes_of(a_); }

 private:
  /// Where the row begins that is open at the end of a part: the first of its nonzeros there.
  std::int64_t open_from(const team_part& part) const {
    return part.begin.row < part.end.row ? a_.row_ptr[part.end.row] : part.begin.nonzero;
  }
  template <class Put>
  void apply(const value_pack<T, 1>* p, const Put& put) {
    pool_.launch([&](int member) {
      const team_part& part = teams_[static_cast<std::size_t>(member)];
      each_row(a_.row_ptr, part.begin.row, part.end.row, part.begin.nonzero,
               [&](index row, std::int64_t from, std::int64_t to) {
                 put(row, row_sum<row_team>(a_.val, a_.col, p, from, to).v[0]);
               });
      const std::int64_t from = open_from(part);
      if (from < part.end.nonzero)
        open_[static_cast<std::size_t>(member)] =
            row_sum<row_team>(a_.val, a_.col, p, from, part.end.nonzero).v[0];
    });
  }

  csr_view<T> a_;
  std::string why_;
  std::vector<team_part> teams_;
  std::vector<T> open_;  ///< each team's part of the row that a later one ends
  thread_pool pool_;
};

}  // namespace

template <class T>
std::unique_ptr<product_steps<T>> product_on_cpu(const device& where, const csr_view<T>& a) {
  const auto vectors =
      sizeof(T) * (static_cast<std::size_t>(a.rows) + static_cast<std::size_t>(a.cols));
  return std::make_unique<rows_on_threads<T>>(
      a,
      threads_worth(static_cast<double>(bytes_of(a) + vectors), a.rows, "product", where.facts()));
}
template std::unique_ptr<product_steps<double>> product_on_cpu(const device&,
                                                               const csr_view<double>&);
template std::unique_ptr<product_steps<float>> product_on_cpu(const device&,
                                                              const csr_view<float>&);

}  // namespace dwell
