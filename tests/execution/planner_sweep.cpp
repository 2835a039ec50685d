// SPDX-License-Identifier: MIT
// Which stencil kernels does the planner ever take? Asks it for every stencil, 200 sizes of each
// dimension, both precisions, all boundaries and the devices that it knows, without a device, and
// prints a table in Markdown (docs/results/planner-sweep.md says what its columns mean). With a
// number N it takes every Nth size only.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "planning_table.hpp"

namespace dwell::test {
namespace {

/// Axes of all ratios; of every second size in whole pieces of 16 columns and 4 rows.
std::vector<extents> sizes_of(int dims) {
  std::mt19937 source(static_cast<unsigned>(dims));
  const double low = dims == 2 ? 8 : 6, high = dims == 2 ? 16384 : 800;
  const auto draw = [&](int of) {
    const double part = static_cast<double>(source()) / 4294967296.0;
    return static_cast<int>(std::ceil(low * std::pow(high / low, part) / of)) * of;
  };
  std::vector<extents> all;
  while (all.size() < 200) {
    const bool whole = all.size() % 2 == 0;
    const int x = draw(whole ? 16 : 1), y = draw(whole ? 4 : 1);
    const extents n = dims == 2 ? extents(y, x) : extents(draw(1), y, x);
    if (n.cells() > 4000 && n.cells() < 200000000) all.push_back(n);
  }
  return all;
}

struct kernel_count {
  std::string engine, constants;
  int edges[3] = {}, devices[4] = {}, sources = 0;  ///< answers of auto
  int tried = 0;                    ///< so often among the six plans that policy measured would try
  int gains = 0;                    ///< a tenth or more over what there is without it,
  double most = 0;                  ///< the largest factor
  std::string reached = "nothing";  ///< by other options
  bool taken() const { return edges[0] + edges[1] + edges[2] > 0; }
};
struct shape_count {
  std::vector<kernel_count> kernels;
  int asked = 0, launches = 0;  ///< steps that are launches from a graph
  kernel_count& of(const stencil_choice& c) {
    return kernels[static_cast<std::size_t>(c.plan.config)];
  }
};

void ask(const planning_question& q, shape_count& count) {
  const stencil_decision d = plan_without_device(q);
  ++count.asked;
  if (d.executor != std::string_view("perks")) {
    ++count.launches;
    return;
  }
  kernel_count& taken = count.of(d.plans.front());
  ++taken.edges[static_cast<int>(q.options.edge)];
  const auto known = known_devices();
  ++taken.devices[std::find(known.begin(), known.end(), q.device) - known.begin()];
  taken.sources += q.source;
  double other = seconds_of_launches(q);
  std::vector<const kernel_count*> tried;
  for (const stencil_choice& c : d.plans) {
    kernel_count& k = count.of(c);
    if (&k != &taken && !k.engine.starts_with("reference"))
      other = std::min(other, c.projected.seconds);
    if (&c - d.plans.data() >= 6 || std::find(tried.begin(), tried.end(), &k) != tried.end())
      continue;
    ++k.tried;
    tried.push_back(&k);
  }
  const double factor = other / d.plans.front().projected.seconds;
  taken.gains += factor >= 1.1;
  taken.most = std::max(taken.most, factor);
}

/// Options under which a kernel without an answer so far is the first plan.
void reach(planning_question q, shape_count& count) {
  q.options.executor = "perks";
  for (const char* blocking : {"auto", "spatial", "temporal"})
    for (const char* traversal : {"auto", "static", "zig-zag", "ring"})
      for (const char* policy : {"auto", "none", "shared", "registers", "both"}) {
        q.options.blocking = blocking;
        q.options.traversal = traversal;
        q.options.policy = policy;
        try {
          kernel_count& k = count.of(plan_without_device(q).plans.front());
          if (!k.taken() && k.reached == "nothing")
            k.reached =
                fmt::format("{} {} {}{}", policy, blocking, traversal, q.source ? ", source" : "");
        } catch (const unsupported_error&) {  // not with these options
        }
      }
}

void sweep(const stencil_kernel& row, std::size_t every) {
  shape_count count;
  for (const stencil_engine* e : row.engines) {
    kernel_count& k = count.kernels.emplace_back();
    k.engine = engine_word(*e);
    k.constants = kernel_text(*e);
  }
  const auto sizes = sizes_of(row.shape.dims);
  const auto each = [&](std::size_t step, const auto& f) {
    for (const char* device : known_devices())
      for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect})
        for (std::size_t k = 0; k < sizes.size(); k += step) {
          planning_question q{sizes[k], row.type, k / step % 5 == 4, device, {}};
          q.options.shape = row.shape.name;
          q.options.edge = edge;
          f(q, count);
        }
  };
  each(every, ask);
  if (!std::all_of(count.kernels.begin(), count.kernels.end(), [](auto& k) { return k.taken(); }))
    each(7 * every, reach);
  const char* const type = row.type == precision::f64 ? "f64" : "f32";
  for (const kernel_count& k : count.kernels)
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.2f} | {} |\n", row.shape.name,
               type, k.engine, k.constants, fmt::join(k.edges, "/"), fmt::join(k.devices, "/"),
               k.sources, k.tried, k.gains, k.most, k.taken() ? "" : k.reached);
  fmt::print("| {} | {} | launches | of {} answers | {} | | | | | | |\n", row.shape.name, type,
             count.asked, count.launches);
  std::fflush(stdout);
}

}  // namespace
}  // namespace dwell::test

int main(int argc, char** argv) {
  using namespace dwell;
  const auto every = static_cast<std::size_t>(argc > 1 ? std::max(1, std::atoi(argv[1])) : 1);
  fmt::print(
      "| stencil | precision | kernel | compiled for | fixed/periodic/reflect | {} | "
      "source | tried | a tenth sooner | at most | else by |\n"
      "|---|---|---|---|--:|--:|--:|--:|--:|--:|---|\n",
      fmt::join(known_devices(), "/"));
  for (const stencil_kernel& row : test::planning_table(backend::cuda))
    if (row.executor == std::string_view("perks")) test::sweep(row, every);
}
