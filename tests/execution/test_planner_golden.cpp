// SPDX-License-Identifier: MIT
// The planner's answers against those written down in data/planner_golden.tsv: for devices that are
// not here, a line for each question. The questions are the first columns of the file itself; with
// DWELL_GOLDEN_WRITE=1 the answers are written anew, to be read as a difference before they are
// believed. Needs no GPU; questions about CG that take all kernels of a GPU are skipped, and
// counted, where the build has none.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "asked_options.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/krylov/configs.hpp"
#include "dwell/execution/krylov/loops/perks.hpp"
#include "dwell/execution/krylov/plan/planning.hpp"
#include "dwell/execution/krylov/plan/projection.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/solvers/cg/pipelined.hpp"
#include "dwell/solvers/cg/single_reduction.hpp"
#include "dwell/solvers/cg/textbook.hpp"
#include "plain_options.hpp"
#include "planning_table.hpp"

namespace dwell::test {
namespace {

std::string microseconds(double seconds) { return fmt::format("{:.6g}", seconds * 1e6); }
precision type_of(const std::string& name) {
  return name == "f32" ? precision::f32 : precision::f64;
}

/// f(): an answer; what it refuses is one, too, without the prose.
template <class F>
std::string answer_of(F&& f) {
  try {
    return f();
  } catch (const unsupported_error&) {
    return "refused=unsupported";
  } catch (const input_error&) {
    return "refused=input";
  }
}

/// Columns: stencil, size, precision, boundary, source, device, options.
std::string answer_for_stencil(const words& asked) {
  planning_question q;
  q.options.shape = asked[0];
  const words n = split(asked[1], 'x');
  q.size = n.size() == 2 ? extents(std::stoi(n[0]), std::stoi(n[1]))
                         : extents(std::stoi(n[0]), std::stoi(n[1]), std::stoi(n[2]));
  q.type = type_of(asked[2]);
  q.options.edge = parse_boundary(asked[3]);
  q.source = asked[4] == "source";
  q.device = asked[5];
  asked_options o(asked[6]);
  q.options.executor = o.text("executor", "auto");
  q.options.policy = o.text("policy", "auto");
  q.options.blocking = o.text("blocking", "auto");
  q.options.traversal = o.text("traversal", "auto");
  q.options.depth = o.number("depth", 0);
  q.options.teams = o.number("teams", 0);
  o.require_all_taken();
  return answer_of([&] {
    const stencil_decision d = plan_without_device(q);
    const stencil_choice& best = d.plans.front();
    const stencil_plan& p = best.plan;
    const stencil_projection& t = best.projected;
    std::string text = fmt::format("executor={} {}", d.executor, kernel_text(kernel_of(d, best)));
    text += fmt::format(" teams={} tile={}x{}x{} tiles={}x{}x{}", p.teams, p.tile_z, p.tile_y,
                        p.tile_x, p.tiles_z, p.tiles_y, p.tiles_x);
    text += fmt::format(" subdomains={}x{}x{} at_sides={} exchange_every={}", p.subdomains_z,
                        p.subdomains_y, p.subdomains_x, p.side_subdomains_y, p.depth);
    text +=
        fmt::format(" in_shared={} streamed={} order={} ring={} draws={} alternates={} shared={}",
                    p.scratch_rows, p.streamed_rows, to_string(p.order), p.ring_rows,
                    int{p.by_ticket}, int{p.alternates}, shared_bytes(*d.kernel, p));
    text += fmt::format(" us={} arithmetic={} shared_us={} l2={} memory={} exchange={} plans={}",
                        microseconds(t.seconds), microseconds(t.arithmetic), microseconds(t.shared),
                        microseconds(t.l2), microseconds(t.memory), microseconds(t.exchange),
                        d.plans.size());
    for (std::size_t k = 1; k < std::min<std::size_t>(6, d.plans.size()); ++k)
      text += fmt::format(" then={}/{}/{}", engine_word(kernel_of(d, d.plans[k])),
                          d.plans[k].plan.depth, microseconds(d.plans[k].projected.seconds));
    return text;
  });
}

/// What a team of CG's kernels that cache needs besides, on a GPU.
constexpr std::size_t cg_scratch = 4880;

/// CG's kernels of an executor, on a device that need not be here.
program_kernel cg_kernels(const std::string& executor, const device_facts& d,
                          std::vector<config_facts>& facts) {
  const bool gpu = d.on == backend::cuda, caches = executor == "perks";
  const std::span<const program_config> list =
      caches && gpu ? std::span<const program_config>(perks::cuda_configs)
      : caches      ? std::span<const program_config>(perks::cpu_configs)
      : gpu         ? std::span<const program_config>(plain_cuda_configs)
                    : std::span<const program_config>(plain_cpu_configs);
  for (const program_config& r : list)
    facts.push_back({r, 0, 0, (gpu ? r.teams_per_unit : 1) * d.units,
                     gpu && caches ? cg_scratch : std::size_t{0}});
  return {"cg",
          executor == "perks" ? "perks" : "other",
          precision::f64,
          d.on,
          executor != "host-loop" && executor != "graph",
          list,
          {},
          {},
          {}};
}

template <class P, class T>
std::string planned_cg(const csr_view<T>& a, const device_facts& device,
                       const std::string& executor, const plan_request& request, bool jacobi) {
  std::vector<config_facts> facts;
  const program_kernel v = cg_kernels(executor, device, facts);
  cut_cache<T> cuts(dwell::device::cpu(1), arrays_of(a));
  const auto made = make_plan<P, T>(v, facts, device, cuts, request, P::steady_state(jacobi));
  const plan& p = made.how;
  const program_config& r = made.configs[static_cast<std::size_t>(p.config)].shape;
  const residency& k = p.cache;
  std::string text = fmt::format(
      "kernel={} lanes={} per_unit={} tiles={} ahead={} caches={} slots={} covers={} "
      "in_registers={} "
      "wide={}",
      p.config, r.lanes, r.teams_per_unit, int{r.tiles}, int{r.ahead}, int{r.caches}, r.slots,
      static_cast<int>(r.assumes), r.tiles_in_registers, int{r.wide});
  text += fmt::format(
      " teams={} cluster={} caches_all={} of_policy={} vectors={} tiles_in_registers={} "
      "tiles_in_shared={} carries={} ghosts={} sends={} shared={}",
      p.teams, int{p.in_cluster}, int{p.fully_cached}, p.chosen, fmt::join(k.vector, ","),
      k.tiles_in_registers, k.tiles, k.carries, k.halo, k.sends,
      cached_bytes<T>(k, made.cut->outline.narrow));
  const projection t = project(made.facts, p, made.configs, limits_of(device));
  return text + fmt::format(
                    " rows={} nonzero_tiles={} us={} floor={} cached={:.6g} l2={:.6g} "
                    "memory={:.6g}",
                    made.facts.rows_per_team, made.facts.tiles_per_team, microseconds(t.seconds),
                    microseconds(t.floor), t.cached_bytes_moved, t.streamed_bytes, t.memory_bytes);
}

bool build_has_cg_on(backend on) {
  for (const program_kernel& v :
       on == backend::cuda ? planned_program_kernels() : program_kernels())
    if (v.on == on && v.executor == std::string_view("perks")) return true;
  return false;
}

const csr<double>& matrix(const std::string& kind) {
  static std::map<std::string, csr<double>> all;
  const auto [at, added] = all.try_emplace(kind);
  if (added) at->second = generate(kind);
  return at->second;
}

template <class T>
std::string answer_for_cg(const csr_view<T>& a, const std::string& device_name, asked_options o) {
  const device_facts device = planning_facts(device_name);
  solve_options c = plain_options();
  c.variant = o.text("variant", "auto");
  const std::string executor = o.text("executor", "perks");
  const bool jacobi = o.text("preconditioner", "none") == "jacobi";
  if (jacobi) c.preconditioner = preconditioner::jacobi;
  c.policy = o.text("policy", "auto");
  c.teams = o.number("teams", 0);
  c.config = o.number("kernel", -1);
  c.scratch_per_team = static_cast<std::size_t>(o.number("shared", 0));
  c.clusters = o.text("clusters", "yes") == "yes";
  o.require_all_taken();
  if (c.variant == "auto" && !build_has_cg_on(device.on)) return "";
  return answer_of([&] {
    if (c.variant == "auto") {
      const solve_explanation e = explain(a, device, c);
      std::string text = fmt::format("variant={} of_policy={} kernel={} teams={} us={}", e.variant,
                                     e.plan().policy, e.plan().config, e.plan().teams,
                                     microseconds(e.plan().seconds));
      for (const auto& v : e.considered)
        text += fmt::format(" weighed={}/{}", v.name, microseconds(v.seconds));
      return text;
    }
    const plan_request request{c.policy, c.teams, c.config, c.scratch_per_team, c.clusters};
    if (c.variant == "textbook")
      return planned_cg<textbook_cg>(a, device, executor, request, jacobi);
    if (c.variant == "single-reduction")
      return planned_cg<single_reduction_cg>(a, device, executor, request, jacobi);
    return planned_cg<pipelined_cg>(a, device, executor, request, jacobi);
  });
}
/// Columns: matrix, precision, device, options.
std::string answer_for_cg(const words& asked) {
  const csr<double>& a = matrix(asked[0]);
  if (type_of(asked[1]) == precision::f64)
    return answer_for_cg(a.view(), asked[2], asked_options(asked[3]));
  const std::vector<float> values(a.val.begin(), a.val.end());
  return answer_for_cg(
      csr_view<float>{a.rows, a.cols, a.row_ptr.data(), a.col.data(), values.data()}, asked[2],
      asked_options(asked[3]));
}

TEST(planner_golden, plans_are_those_written_down) {
  const std::string file = DWELL_TEST_DATA "/planner_golden.tsv";
  const bool write = std::getenv("DWELL_GOLDEN_WRITE") != nullptr;
  std::ifstream in(file);
  ASSERT_TRUE(in) << file;
  std::string rewritten;
  std::map<std::string, int> compared, skipped, differ;
  for (std::string line; std::getline(in, line);) {
    words columns = split(line, '\t');
    if (columns.empty() || columns[0].starts_with('#')) {
      rewritten += line + '\n';
      continue;
    }
    const std::string kind = columns[0];
    const std::size_t asked = kind == "stencil" ? 8 : 5;
    ASSERT_GE(columns.size(), asked) << line;
    columns.resize(asked + 1);
    const words question(columns.begin() + 1, columns.begin() + static_cast<int>(asked));
    const std::string found =
        kind == "stencil" ? answer_for_stencil(question) : answer_for_cg(question);
    ++(found.empty() ? skipped : compared)[kind];
    if (!found.empty() && !write && found != columns.back() && ++differ[kind] <= 5)
      ADD_FAILURE() << fmt::format("{}", fmt::join(question, " ")) << "\n  expected "
                    << columns.back() << "\n  found    " << found;
    if (!found.empty()) columns.back() = found;
    rewritten += fmt::format("{}\n", fmt::join(columns, "\t"));
  }
  in.close();
  if (write) std::ofstream(file) << rewritten;
  std::cout << compared["stencil"] << " plans of stencils and " << compared["cg"]
            << " of CG compared, " << differ["stencil"] + differ["cg"] << " differ; "
            << skipped["stencil"] + skipped["cg"]
            << " skipped, which take CG's kernels for a GPU\n";
  EXPECT_EQ(differ["stencil"] + differ["cg"], 0);
  EXPECT_EQ(compared["stencil"], 525);
  EXPECT_EQ(compared["cg"], 66);
}

/// Else plans would be those of kernels that nobody can run.
TEST(planner_golden, kernels_of_cg_need_the_scratch_that_is_assumed) {
  for (const program_kernel& v : planned_program_kernels()) {
    if (v.executor != std::string_view("perks")) continue;
    for (int r = 0; r < static_cast<int>(v.configs.size()); ++r)
      EXPECT_EQ(v.assume(facts_of("h200"), r).scratch_bytes, cg_scratch);
  }
  EXPECT_FALSE(planned_program_kernels().empty());
}

}  // namespace
}  // namespace dwell::test
