// SPDX-License-Identifier: MIT
// See ranks.hpp.
#include "stencil/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/aligned_table.hpp"
#include "report/units.hpp"

#include "dwell/formats/field_values.hpp"

namespace dwell::app {
namespace {

/// Of all ranks' slabs together: all but the ring of `fixed`.
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
  int threads, exchange_every;
  const extents& size;
  bool has_source;
  const stencil_options& options;
};

template <class T>
ranked_field solve_as_rank(const std::shared_ptr<communicator>& comm, const ways& how, grid<T>& u,
                           const grid<T>* source) {
  const auto& [choice, where, threads, exchange_every, size, has_source, options] = how;
  const bool first = comm->rank() == 0;
  slab_line line;
  const device here_on = device_of_rank(*comm, where, threads);
  if (here_on.on() == backend::cuda)
    line.gpu = here_on.ordinal();
  else
    line.threads = here_on.threads();
  stencil_options here = options;
  if (!first) here.progress = {};
  distributed_stencil<T> field(here_on, comm, size, here, exchange_every, has_source,
                               transport_of(choice));
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
                            const device_choice& where, int threads, int exchange_every,
                            const extents& size, bool has_source, grid<T>& u,
                            const stencil_options& options, const grid<T>* source) {
  ranked_field got;
  on_each_rank(choice, comm, [&](const std::shared_ptr<communicator>& one) {
    const ways how{choice, where, threads, exchange_every, size, has_source, options};
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
                                     int, const extents&, bool, grid<double>&,
                                     const stencil_options&, const grid<double>*);
template ranked_field solve_on_ranks(const rank_choice&, communicator*, const device_choice&, int,
                                     int, const extents&, bool, grid<float>&,
                                     const stencil_options&, const grid<float>*);

std::string describe_ranks(const ranked_field& r) {
  int layers = 0, ghosts = 0;
  for (const slab_line& line : r.ranks) {
    layers = std::max(layers, line.share.layers);
    ghosts = std::max(ghosts, line.share.ghosts);
  }
  const int between = r.ranks.empty() ? 0 : r.ranks.front().share.steps_per_exchange;
  return fmt::format("{} ({}), at most {} each{}", r.ranks.size(), r.transport,
                     format_plural(layers, r.report.size.dims == 3 ? "plane" : "row"),
                     between > 0 ? fmt::format(" and {} of neighbours, exchanged every {}", ghosts,
                                               format_plural(between, "step"))
                                 : "");
}

std::string ranks_table(const ranked_field& r) {
  aligned_table out;
  const bool gpus = !r.ranks.empty() && r.ranks.front().gpu >= 0;
  for (const char* head :
       {"rank", "first layer", "layers", "ghost layers", gpus ? "GPU" : "threads", "solve s"})
    out.head(head, true);
  for (std::size_t k = 0; k < r.ranks.size(); ++k) {
    const auto& [share, threads, gpu, solve_s] = r.ranks[k];
    out.row({std::to_string(k), format_count(share.first_layer), format_count(share.layers),
             format_count(share.ghosts), std::to_string(gpus ? gpu : threads),
             fmt::format("{:.6f}", solve_s)});
  }
  return out.text();
}

json ranks_json(const ranked_field& r) {
  json all = json::array();
  for (const auto& [share, threads, gpu, solve_s] : r.ranks)
    all.push_back({{"first_layer", share.first_layer},
                   {"layers", share.layers},
                   {"ghost_layers", share.ghosts},
                   {"steps_per_exchange", share.steps_per_exchange},
                   {"threads", gpu < 0 ? json(threads) : json(nullptr)},
                   {"gpu", gpu < 0 ? json(nullptr) : json(gpu)},
                   {"solve_s", solve_s}});
  return all;
}

}  // namespace dwell::app
