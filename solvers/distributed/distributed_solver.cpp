// SPDX-License-Identifier: MIT
// See distributed_solver.hpp: checks that all ranks make together, around the frame of
// linear_solver.
#include "dwell/solvers/distributed/distributed_solver.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/execution/comm/agreement.hpp"
#include "dwell/execution/comm/device_transport.hpp"
#include "dwell/solvers/distributed/examine_rows.hpp"
#include "dwell/solvers/linear/memory_check.hpp"
#include "dwell/solvers/linear/solver_state.hpp"
#include "dwell/solvers/linear/system_check.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

template <class T>
void check_request(const solve_options& o) {
  check_options(o);
  if (o.mixed_precision)
    throw unsupported_error(
        "mixed_precision: expected false where rows are divided among ranks, found true");
  if (!o.null_vectors.empty())
    throw unsupported_error(
        "null_vectors: expected none where rows are divided among ranks, found some");
  if (!o.preconditioning.near_null.empty())
    throw unsupported_error(
        "near_null: expected none where rows are divided among ranks, found some");
  if (o.preconditioner == preconditioner::automatic)
    throw unsupported_error(
        "preconditioner: expected one by name where rows are divided among ranks, found auto");
}

/// The block of own columns, of which a rank's preconditioner is made.
template <class T>
void copy_block(const csr_view<T>& rows, csr<T>& block) {
  block = csr<T>{rows.rows, rows.rows, {0}, {}, {}};
  for (index i = 0; i < rows.rows; ++i) {
    for (index k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
      if (rows.col[k] >= rows.rows) break;  // own columns come first
      block.col.push_back(rows.col[k]);
      block.val.push_back(rows.val[k]);
    }
    block.row_ptr.push_back(static_cast<index>(block.col.size()));
  }
}

}  // namespace

template <class T>
struct distributed_solver<T>::state {
  state(const device& where, distributed_matrix<T> a, const solve_options& o, gpu_transport by)
      : matrix(std::move(a)),
        ranks{matrix.comm().get(), nullptr, &matrix.halo(),
              static_cast<double>(matrix.all_rows())} {
    together(*ranks.comm, [&] { check_request<T>(o); });
    require_one_backend(*ranks.comm, where);
    if (where.on() == backend::cuda) {
      gpus = connect_gpus(matrix.comm(), where, by);
      ranks.gpus = gpus.get();
    }
    demand = demand_of(o);
    given = o.preconditioner;
    divided.ranks = &ranks;
    double check_s = 0;
    {
      const lap_timer time(check_s);
      take(matrix.local());
    }
    solver.emplace(where, divided, o);
    solver->setup.check_s += check_s;
  }
  /// Checks these values, and makes what follows from them.
  void take(const csr_view<T>& rows) {
    divided.facts = examine_rows(
        matrix, std::span<const T>(rows.val, static_cast<std::size_t>(rows.nonzeros())), demand);
    divided.rows = rows;
    if (kind_of(given).is_chain()) copy_block(rows, block);
    divided.block = block.view();
  }

  distributed_matrix<T> matrix;
  std::shared_ptr<device_transport> gpus;  ///< ends after what records its messages
  row_ranks ranks;
  matrix_demand demand;
  preconditioner given = preconditioner::none;
  csr<T> block;
  std::vector<T> values;  ///< where they are not the first ones
  divided_rows<T> divided;
  std::optional<solver_state<T>> solver;
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
  solver_state<T>& s = *s_->solver;
  communicator& comm = *s_->ranks.comm;
  s.began = seconds_on_host();
  together(comm, [&] {
    s.require_idle();
    check_size(b.size(), s.rows(), "right-hand side");
    check_size(x.size(), s.rows(), "start vector");
    check_memory(s.matrix.in_place(), b, std::span<const T>(x));
    check_finite(b, "right-hand side");
    check_finite(std::span<const T>(x), "start vector");
  });
  if (s.on_gpu()) {
    s.b.upload(b);
    s.x.upload(x);
  }
  const T* const from = s.on_gpu() ? s.b.data() : b.data();
  T* const to = s.on_gpu() ? s.x.data() : x.data();
  solve_report report = s.solve_once(from, to);
  report.finish_s = seconds_on_host() - s.ended;
  s.refine(from, to, report);
  if (s.on_gpu()) {
    const lap_timer time(report.finish_s);
    s.x.download(x);
  }
  return s.change_method(report) ? solve(b, x) : report;
}

template <class T>
void distributed_solver<T>::update_values(std::span<const T> values) {
  state& s = *s_;
  solver_state<T>& solver = *s.solver;
  together(*s.ranks.comm, [&] {
    solver.require_idle();
    if (values.size() != static_cast<std::size_t>(s.divided.rows.nonzeros()))
      throw input_error(
          fmt::format("values: expected {} of them as the rows of the rank have, found {}",
                      s.divided.rows.nonzeros(), values.size()));
  });
  solver.setup = {};
  {
    const lap_timer time(solver.setup.check_s);
    std::vector<T> copy(values.begin(), values.end());
    csr_view<T> rows = s.divided.rows;
    rows.val = copy.data();
    s.take(rows);  // values that are refused leave those before
    s.values = std::move(copy);
  }
  solver.matrix.update(s.divided, solver.setup);
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
