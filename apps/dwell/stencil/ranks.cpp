// SPDX-License-Identifier: MIT
// Divides a field among ranks, steps it and collects the outcome.
#include "stencil/ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/aligned_table.hpp"
#include "report/units.hpp"

#include "dwell/formats/field_values.hpp"

namespace dwell::app {
namespace {

/// Number of all ranks' cells together: all but the ring of `fixed`.
std::size_t changing_cells(const extents& n, int radius, boundary edge) {
  const auto along = [&](int cells) {
    return static_cast<std::size_t>(edge == boundary::fixed ? std::max(0, cells - 2 * radius)
                                                            : cells);
  };
  return along(n.y) * along(n.x) * (n.dims == 3 ? along(n.z) : 1);
}

/// How ranks do steps.
struct ways {
  const rank_choice& choice;
  const device_choice& where;
  int threads;
  const field_division& division;
  const extents& size;
  bool has_source;
  const stencil_options& options;
};

template <class T>
ranked_field solve_as_rank(const std::shared_ptr<communicator>& comm, const ways& how, grid<T>& u,
                           const grid<T>* source) {
  const auto& [choice, where, threads, division, size, has_source, options] = how;
  const bool first = comm->rank() == 0;
  field_line line;
  const device here_on = device_of_rank(*comm, where, threads);
  if (here_on.on() == backend::cuda)
    line.gpu = here_on.ordinal();
  else
    line.threads = here_on.threads();
  stencil_options here = options;
  if (!first) here.progress = {};
  distributed_stencil<T> field(here_on, comm, size, here, division, has_source);
  if (has_source) field.scatter_source(source->view());
  field.scatter(u.view());
  const stencil_outcome end =
      options.until ? field.run_until(*options.until, options.steps, options.check_every)
                    : field.run(options.steps);
  line.share = field.share();
  line.solve_s = end.solve_s;

  ranked_field got;
  got.transport = field.transport();
  got.ranks = values_of_ranks(*comm, line);
  stencil_report& report = got.report = field.report();
  report.bytes_per_step = 0;
  for (const std::size_t bytes : values_of_ranks(*comm, field.report().bytes_per_step))
    report.bytes_per_step += bytes;
  grid<T> whole = field.gather();
  if (!first) return got;
  u = std::move(whole);
  const value_range range = range_of<T>(std::as_const(u).view().cells());
  report.least = range.least;
  report.greatest = range.greatest;
  report.nonfinite_cells = range.nonfinite;
  report.finite = range.nonfinite == 0;
  report.size = size;
  report.changing_cells =
      changing_cells(size, find_stencil_shape(options.shape).radius, options.edge);
  report.steps = static_cast<int>(end.steps);
  report.stopped = end.stopped;
  report.change = end.change;
  report.solve_s = end.solve_s;
  const auto steps = static_cast<double>(end.steps);
  report.per_step_us = steps > 0 ? end.solve_s * 1e6 / steps : 0;
  report.cells_per_second =
      end.solve_s > 0 ? static_cast<double>(report.changing_cells) * steps / end.solve_s : 0;
  return got;
}

}  // namespace

template <class T>
ranked_field solve_on_ranks(const rank_choice& choice, communicator* comm,
                            const device_choice& where, int threads, const field_division& division,
                            const extents& size, bool has_source, grid<T>& u,
                            const stencil_options& options, const grid<T>* source) {
  ranked_field got;
  on_each_rank(choice, comm, [&](const std::shared_ptr<communicator>& one) {
    const ways how{choice, where, threads, division, size, has_source, options};
    if (is_first(comm) && one->rank() == 0) {
      got = solve_as_rank(one, how, u, source);
    } else {  // a thread, or a process that has nothing to begin with
      grid<T> nothing;
      solve_as_rank(one, how, nothing, &nothing);
    }
  });
  return got;
}

template ranked_field solve_on_ranks(const rank_choice&, communicator*, const device_choice&, int,
                                     const field_division&, const extents&, bool, grid<double>&,
                                     const stencil_options&, const grid<double>*);
template ranked_field solve_on_ranks(const rank_choice&, communicator*, const device_choice&, int,
                                     const field_division&, const extents&, bool, grid<float>&,
                                     const stencil_options&, const grid<float>*);

namespace {

/// The numbers of the axes that a field of so many dimensions has.
template <class PerAxis>
std::vector<int> along_axes(const PerAxis& of, int dims) {
  std::vector<int> all;
  for (int axis = 3 - dims; axis < 3; ++axis) all.push_back(of[axis]);
  return all;
}

std::string ghosts_text(const field_share& share) {
  std::vector<std::string> all;
  for (int axis = 3 - share.own.size.dims; axis < 3; ++axis)
    all.push_back(fmt::format("{}+{}", share.ghosts_before[axis], share.ghosts_after[axis]));
  return fmt::format("{}", fmt::join(all, " x "));
}

}  // namespace

std::string describe_ranks(const ranked_field& r) {
  if (r.ranks.empty()) return "0";
  const field_share& any = r.ranks.front().share;
  int ghosts = 0;
  extents most = any.own.size;
  for (const field_line& line : r.ranks)
    for (int axis = 0; axis < 3; ++axis) {
      most[axis] = std::max(most[axis], line.share.own.size[axis]);
      ghosts = std::max({ghosts, line.share.ghosts_before[axis], line.share.ghosts_after[axis]});
    }
  return fmt::format(
      "{} ({}) as {}, at most {} cells each{}", r.ranks.size(), r.transport, to_string(any.ranks),
      to_string(most),
      any.steps_per_exchange > 0
          ? fmt::format("; {} of ghosts, exchanged every {}", format_plural(ghosts, "layer"),
                        format_plural(any.steps_per_exchange, "step"))
          : "");
}

std::string ranks_table(const ranked_field& r) {
  aligned_table out;
  const bool gpus = !r.ranks.empty() && r.ranks.front().gpu >= 0;
  for (const char* head :
       {"rank", "first cell", "cells", "ghost layers", gpus ? "GPU" : "threads", "solve s"})
    out.head(head, true);
  for (std::size_t k = 0; k < r.ranks.size(); ++k) {
    const auto& [share, threads, gpu, solve_s] = r.ranks[k];
    out.row({std::to_string(k),
             fmt::format("{}", fmt::join(along_axes(share.own.first, share.own.size.dims), ",")),
             to_string(share.own.size), ghosts_text(share), std::to_string(gpus ? gpu : threads),
             fmt::format("{:.6f}", solve_s)});
  }
  return out.text();
}

json ranks_json(const ranked_field& r) {
  json all = json::array();
  for (const auto& [share, threads, gpu, solve_s] : r.ranks) {
    const int dims = share.own.size.dims;
    all.push_back({{"grid", along_axes(share.ranks, dims)},
                   {"first_cell", along_axes(share.own.first, dims)},
                   {"size", along_axes(share.own.size, dims)},
                   {"ghosts_before", along_axes(share.ghosts_before, dims)},
                   {"ghosts_after", along_axes(share.ghosts_after, dims)},
                   {"steps_per_exchange", share.steps_per_exchange},
                   {"threads", gpu < 0 ? json(threads) : json(nullptr)},
                   {"gpu", gpu < 0 ? json(nullptr) : json(gpu)},
                   {"solve_s", solve_s}});
  }
  return all;
}

}  // namespace dwell::app
