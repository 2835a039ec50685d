// SPDX-License-Identifier: MIT
// Checks that all ranks make together, around the frame of linear_solver.
#include "dwell/linear/distributed_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/comm/device_transport.hpp"
#include "dwell/execution/device/small_kernels.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/ranks/validate_rows.hpp"
#include "dwell/solvers/linear/run/attempts.hpp"
#include "dwell/solvers/linear/run/block_solve.hpp"
#include "dwell/solvers/linear/run/rank_kernels.hpp"

namespace dwell {
namespace {

/// Throws input_error, on all ranks, unless each gives as many vectors of as many elements as it
/// has rows, one after another. Returns how many; ranks without rows say nothing.
std::size_t vectors_of_ranks(communicator& comm, index rows, std::size_t elements,
                             const char* name) {
  struct counts {
    std::size_t rows, elements;
  };
  const auto all = values_of_ranks(comm, counts{static_cast<std::size_t>(rows), elements});
  std::size_t found = 0;
  for (const counts& one : all)
    if (one.rows > 0) found = std::max(found, one.elements / one.rows);
  together(comm, [&] {
    const auto n = static_cast<std::size_t>(rows);
    if (elements != found * n)
      throw input_error(
          fmt::format("{}: expected {} vectors of {} elements, those of its rows, on rank {}, as "
                      "other ranks have, found {} elements",
                      name, found, rows, comm.rank(), elements));
  });
  return found;
}

/// What ranks ask for together. A rank without rows is told of null vectors by a number that does
/// not count.
template <class T>
solve_options agreed_options(const distributed_matrix<T>& a, solve_options o) {
  communicator& comm = *a.comm();
  together(comm, [&] {
    check_options(o);
    require_f64_of_mixed(o, sizeof(T) == sizeof(double));
  });
  vectors_of_ranks(comm, a.rows(), o.preconditioning.near_null.size(), "near_null");
  if (vectors_of_ranks(comm, a.rows(), o.null_vectors.size(), "null_vectors") > 0 && a.rows() == 0)
    o.null_vectors = {0.0};
  return o;
}

}  // namespace

template <class T>
struct distributed_solver<T>::state {
  state(const device& where, distributed_matrix<T> a, const solve_options& given, gpu_transport by)
      : matrix(std::move(a)),
        ranks{matrix.comm().get(), nullptr, &matrix.halo(),
              static_cast<double>(matrix.all_rows())} {
    const solve_options o = agreed_options(matrix, given);
    require_one_backend(*ranks.comm, where);
    if (where.on() == backend::cuda) {
      gpus = connect_gpus(matrix.comm(), where, by);
      ranks.gpus = gpus.get();
    }
    demand = demand_of(o);
    double check_s = 0;
    const kernel_making exchanged =
        exchange_kernels_of(&ranks, where,
                            where.on() == backend::cuda ? small_kernels_of_ranks(precision_of<T>)
                                                        : std::vector<kernel_source>{});
    divided_rows<T> rows;
    {
      const lap_timer time(check_s);
      rows = validated(matrix.local());
    }
    nonzeros = rows.rows.nonzeros();
    solver.emplace(where, rows, o);
    solver->choose();
    solver->plan();
    solver->setup.check_s += check_s;
    solver->setup.compile_s += exchanged.seconds;
  }
  /// Throws input_error, on all ranks, if they are not what is demanded.
  divided_rows<T> validated(const csr_view<T>& rows) const {
    const std::span<const T> values(rows.val, static_cast<std::size_t>(rows.nonzeros()));
    return {rows, {}, validate_rows(matrix, values, demand), &ranks};
  }

  distributed_matrix<T> matrix;
  std::shared_ptr<device_transport> gpus;  ///< ends after what records its messages
  row_ranks ranks;
  void check(std::span<const T> b, std::span<const T> x) const {
    together(*ranks.comm, [&] {
      solver->require_run();
      check_size(b.size(), solver->matrix.rows(), name_of_b);
      check_size(x.size(), solver->matrix.rows(), name_of_x);
      check_memory(solver->matrix.system.in_place(), b, x);
      check_finite(b, name_of_b);
      check_finite(x, name_of_x);
    });
  }
  solve_report run(std::span<const T> b, std::span<T> x, double began) {
    prepared_solver<T>& s = *solver;
    const auto none = [] {};  // they have been looked at
    if (!s.matrix.on_gpu()) return attempts<T>(s, b.data(), x.data(), began).run(none);
    s.work.b.upload(b);
    s.work.x.upload(x);
    solve_report report = attempts<T>(s, s.work.b.data(), s.work.x.data(), began).run(none);
    const lap_timer time(report.finish_s);
    s.work.x.download(x);
    return report;
  }

  matrix_demand demand;
  index nonzeros = 0;
  std::vector<T> values;  ///< where they are not the first ones
  std::optional<prepared_solver<T>> solver;
};

template <class T>
distributed_solver<T>::distributed_solver(const device& where, distributed_matrix<T> a,
                                          const solve_options& options, gpu_transport by)
    : s_(std::make_unique<state>(where, std::move(a), options, by)) {}
template <class T>
distributed_solver<T>::distributed_solver(distributed_solver&&) noexcept = default;
template <class T>
distributed_solver<T>& distributed_solver<T>::operator=(distributed_solver&&) noexcept = default;
template <class T>
distributed_solver<T>::~distributed_solver() = default;

template <class T>
const solve_setup& distributed_solver<T>::setup() const {
  return s_->solver->setup;
}

template <class T>
const char* distributed_solver<T>::transport() const {
  return s_->gpus ? s_->gpus->name() : s_->ranks.comm->transport();
}

template <class T>
solve_report distributed_solver<T>::solve(std::span<const T> b, std::span<T> x) {
  const double began = seconds_on_host();
  s_->check(b, x);
  s_->solver->begin_anew();
  return s_->run(b, x, began);
}

template <class T>
std::vector<solve_report> distributed_solver<T>::solve(std::span<const T> b, std::size_t ldb,
                                                       std::span<T> x, std::size_t ldx, int count) {
  prepared_solver<T>& s = *s_->solver;
  const index rows = s.matrix.rows();
  communicator& comm = *s_->ranks.comm;
  const int of_first = value_of_rank(comm, 0, count);
  together(comm, [&] {
    s.require_run();
    check_columns(b.size(), rows, ldb, count, name_of_b);
    check_columns(x.size(), rows, ldx, count, name_of_x);
    if (count != of_first)
      throw input_error(
          fmt::format("count: expected as many columns on all ranks, found {} on rank {} and {} on "
                      "rank 0",
                      count, comm.rank(), of_first));
  });
  const auto n = static_cast<std::size_t>(rows);
  const auto b_of = [&](int k) { return b.subspan(static_cast<std::size_t>(k) * ldb, n); };
  const auto x_of = [&](int k) { return x.subspan(static_cast<std::size_t>(k) * ldx, n); };
  const auto alone = [&](int k) {
    const double began = seconds_on_host();
    s_->check(b_of(k), x_of(k));
    return s_->run(b_of(k), x_of(k), began);
  };
  return solve_host_block(s, count, b_of, x_of, alone,
                          [&](auto&& check) { together(comm, check); });
}

template <class T>
void distributed_solver<T>::update_values(std::span<const T> values) {
  state& s = *s_;
  prepared_solver<T>& solver = *s.solver;
  together(*s.ranks.comm, [&] {
    solver.require_run();
    if (values.size() != static_cast<std::size_t>(s.nonzeros))
      throw input_error(
          fmt::format("values: expected {} of them as the rows of the rank have, found {}",
                      s.nonzeros, values.size()));
  });
  solver.setup = {};
  std::vector<T> copy(values.begin(), values.end());
  divided_rows<T> rows;
  {
    const lap_timer time(solver.setup.check_s);
    csr_view<T> changed = s.matrix.local();
    changed.val = copy.data();
    rows = s.validated(changed);
  }
  solver.matrix.update(rows, solver.setup);  // values that are refused leave those before
  s.values = std::move(copy);
  solver.refresh();
}

template <class T>
void distributed_solver<T>::set_tolerances(double rtol, double atol) {
  solve_options changed = s_->solver->options;
  changed.rtol = rtol;
  changed.atol = atol;
  check_options(changed);
  s_->solver->options.rtol = rtol;
  s_->solver->options.atol = atol;
}

template class distributed_solver<double>;
template class distributed_solver<float>;

}  // namespace dwell
