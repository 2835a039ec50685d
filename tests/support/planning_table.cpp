// SPDX-License-Identifier: MIT
// A GPU's kernels are those of planned_stencil_kernels(), for all shapes; test_planner_golden.cpp
// compares both backends' with the kernels of the build.
#include "planning_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/engines/perks_engines.hpp"
#include "dwell/execution/stencil/launch/rows_perks_cuda.hpp"
#include "dwell/execution/stencil/launch/rows_temporal_cuda.hpp"
#include "dwell/execution/stencil/launch/run.hpp"
#include "dwell/execution/stencil/loops/graph.hpp"
#include "dwell/execution/stencil/loops/host_loop.hpp"
#include "dwell/execution/stencil/loops/perks.hpp"
#include "dwell/execution/stencil/loops/persistent.hpp"
#include "dwell/execution/stencil/loops/temporal.hpp"
#include "dwell/execution/stencil/plan/policies/none.hpp"
#include "dwell/execution/stencil/step/register_tile.hpp"
#include "dwell/solvers/stencil/shapes/box2d121.hpp"
#include "dwell/solvers/stencil/shapes/box2d25.hpp"
#include "dwell/solvers/stencil/shapes/box2d49.hpp"
#include "dwell/solvers/stencil/shapes/box2d81.hpp"
#include "dwell/solvers/stencil/shapes/box2d9.hpp"
#include "dwell/solvers/stencil/shapes/box3d125.hpp"
#include "dwell/solvers/stencil/shapes/box3d27.hpp"
#include "dwell/solvers/stencil/shapes/gradient2d.hpp"
#include "dwell/solvers/stencil/shapes/middle3d17.hpp"
#include "dwell/solvers/stencil/shapes/mixed2d64.hpp"
#include "dwell/solvers/stencil/shapes/poisson3d19.hpp"
#include "dwell/solvers/stencil/shapes/star2d13.hpp"
#include "dwell/solvers/stencil/shapes/star2d17.hpp"
#include "dwell/solvers/stencil/shapes/star2d21.hpp"
#include "dwell/solvers/stencil/shapes/star2d25.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star2d9.hpp"
#include "dwell/solvers/stencil/shapes/star3d13.hpp"
#include "dwell/solvers/stencil/shapes/star3d7.hpp"
#include "no_cache.hpp"

namespace dwell::test {
namespace {

template <class S, class T>
const engine_row& caching_on_cpu() {
  static const engine_row row = caching_row<S, T>();
  return row;
}
const engine_row& plain_on_cpu() {
  static const engine_row row = step_row(std::array{step_config{8, 1}});
  return row;
}
template <class S, class T>
engine_facts assume_caching(const device_facts& d, int number) {
  return {caching_on_cpu<S, T>().all()[static_cast<std::size_t>(number)], 0, 0, d.units,
          caching_scratch_bytes<S, T>(number)};
}
template <class S, class T>
engine_facts assume_passes(const device_facts& d, int number) {
  return {
      pass_kernels<temporal_engines<backend::cpu>, S, T>().all()[static_cast<std::size_t>(number)],
      0, 0, d.units, 0};
}
engine_facts assume_plain(const device_facts& d, int number) {
  return {plain_on_cpu().all()[static_cast<std::size_t>(number)], 0, 0, d.units, 0};
}

using shared_of = std::size_t (*)(const stencil_plan&);
template <class S, class T>
std::size_t bytes_of(const stencil_plan& p) {
  return caching_engines::with<S, T>(
      p.config, [&]<class Engine, auto C>() {
        return kernel_scratch_bytes<Engine, S, T>(C) + Engine::template layer_bytes<S, T>(C, p);
      });
}

std::size_t no_bytes(const stencil_plan&) { return 0; }

struct table {
  std::vector<stencil_kernel> rows;
  std::vector<shared_of> shared;  ///< shared memory of each row

  template <class S, class T>
  void add(const stencil_kernel& row) {
    rows.push_back(row);
    shared.push_back(row.executor == perks_stencil::name ? &bytes_of<S, T> : &no_bytes);
  }
  template <backend On, class S, class T>
  void add_executors() {
    if constexpr (On == backend::cuda) {
      add<S, T>(cuda::driven_row<S, T, host_loop_stencil>());
      add<S, T>(cuda::driven_row<S, T, graph_stencil>());
      add<S, T>(cuda::looping_row<S, T, persistent_stencil>());
      add<S, T>(cuda::caching_row<S, T, perks_stencil>());
      std::vector<stencil_kernel> passing;
      cuda::add_passing_row<S, T, temporal_stencil, temporal_engines<On>>(passing);
      for (const auto& row : passing) add<S, T>(row);
    } else {
      const auto on_cpu = [&](const executor_info& e, bool cooperative, const engine_row& row,
                              auto* assume) {
        add<S, T>({shape_facts<S>(), e.name, precision_of<T>, On, cooperative, row.all(), assume});
      };
      on_cpu(executors::host_loop, false, plain_on_cpu(), &assume_plain);
      on_cpu(executors::persistent, true, plain_on_cpu(), &assume_plain);
      on_cpu(executors::perks, true, caching_on_cpu<S, T>(), &assume_caching<S, T>);
      on_cpu(executors::temporal, false, pass_kernels<temporal_engines<On>, S, T>(),
             &assume_passes<S, T>);
    }
  }
  template <backend On, class... Shapes>
  static table of_shapes() {
    table all;
    (..., (all.add_executors<On, Shapes, double>(), all.add_executors<On, Shapes, float>()));
    return all;
  }
};
template <backend On>
const table& table_on() {
  static const table all =
      table::of_shapes<On, star2d5, star2d9, star2d13, star2d17, star2d21, star2d25, box2d9,
                       box2d25, box2d49, mixed2d64, box2d81, box2d121, gradient2d, star3d7,
                       star3d13, middle3d17, box3d27, box3d125, poisson3d19>();
  return all;
}
const table& table_of(backend on) {
  return on == backend::cpu ? table_on<backend::cpu>() : table_on<backend::cuda>();
}

}  // namespace

std::span<const stencil_kernel> planning_table(backend on) { return table_of(on).rows; }

device_facts planning_facts(const std::string& device) {
  if (!device.starts_with("cpu:")) return facts_of(device);
  device_facts f;
  f.name = device;
  f.units = std::stoi(device.substr(4));
  f.memory = f.memory_free = std::size_t(64) << 30;
  f.l2 = std::size_t(32) << 20;
  return f;
}

namespace {
stencil_problem problem_asked(const planning_question& q) {
  return problem_of(find_stencil_shape(planning_table(backend::cpu), q.options.shape), q.size,
                    q.type == precision::f64 ? 8 : 4, q.options.edge, q.source);
}
}  // namespace

stencil_decision plan_without_device(const planning_question& q) {
  const no_cache none;
  const plan_target target{planning_facts(q.device), {}};
  return decide({planning_table(target.on()), q.type, target, problem_asked(q)}, q.options);
}

double seconds_of_launches(planning_question q) {
  q.options.executor = "graph";
  const stencil_decision d = plan_without_device(q);
  const stencil_choice& c = d.plans.front();
  return policies::time_of_launches(problem_asked(q), c, kernel_of(d, c), planning_facts(q.device))
      .seconds;
}

const stencil_engine& kernel_of(const stencil_decision& d, const stencil_choice& c) {
  return *d.facts_of(c.plan).engine;
}

namespace {
template <class Engine>
const typename Engine::config* config_of(const stencil_engine& e) {
  const auto* c = dynamic_cast<const engine_config<Engine>*>(&e);
  return c ? &c->own : nullptr;
}
}  // namespace

std::string engine_word(const stencil_engine& e) {
  const engine_shape& shape = e.shape();
  if (shape.temporal && !shape.caches) return e.name();
  if (!shape.caches)
    return fmt::format("{}{}", shape.tile_flags ? "dataflow_" : "",
                       shape.across > 1 ? "register_tiles" : "columns");
  if (const auto* c = config_of<register_tile2d>(e); c && c->rest) return "reference2d";
  return config_of<reference_block3d>(e) ? "reference3d" : e.name();
}

std::string kernel_text(const stencil_engine& e) {
  const engine_shape& shape = e.shape();
  int deep = 1, together = 1, in_field = 0, steps = 0, arriving = 0, any_order = 0, source = 1;
  if (const auto* ring = config_of<ring2d>(e)) {
    steps = ring->warps * ring->steps;
    together = ring->rows;
  } else if (const auto* column = config_of<column3d>(e)) {
    steps = column->steps;
  } else if (shape.temporal && !shape.caches) {  // skewed: any number of steps
  } else if (!shape.caches) {
    const step_config& c = step_config_of(e);
    deep = c.deep;
    together = c.together;
  } else if (const auto* tile = config_of<register_tile2d>(e)) {
    arriving = tile->rest ? fetch_ahead<2> : 0;
    any_order = tile->rest;
    source = tile->source();
  } else if (const auto* strip = config_of<strip2d>(e)) {
    in_field = strip->field_rows;
    source = 0;
  } else if (config_of<block3d>(e)) {
    source = 0;
  } else if (config_of<reference_block3d>(e)) {
    arriving = fetch_ahead<3>;
  } else if (const auto* rows = config_of<stream2d>(e)) {
    steps = rows->depth;
  } else if (const auto* planes = config_of<stream3d>(e)) {
    steps = planes->depth;
  }
  std::string text = fmt::format("engine={} lanes={} per_unit={}", engine_word(e), shape.lanes,
                                 shape.teams_per_unit);
  const std::pair<const char*, int> rest[] = {{"cells_x", shape.across},
                                              {"cells_y", shape.down},
                                              {"cells_z", deep},
                                              {"at_once", together},
                                              {"in_registers", shape.register_rows},
                                              {"in_field", in_field},
                                              {"steps", steps},
                                              {"arriving", arriving},
                                              {"any_order", any_order},
                                              {"takes_source", source}};
  for (const auto& [word, value] : rest) text += fmt::format(" {}={}", word, value);
  return text;
}

std::size_t shared_bytes(const stencil_kernel& v, const stencil_plan& p) {
  if (!engine_of(v, p).shape().caches) return 0;
  for (const backend on : {backend::cpu, backend::cuda}) {
    const table& t = table_of(on);
    for (std::size_t k = 0; k < t.rows.size(); ++k)
      if (&t.rows[k] == &v) return t.shared[k](p);
  }
  throw input_error("expected a row of the table of plans");
}

}  // namespace dwell::test
