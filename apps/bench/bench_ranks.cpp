// SPDX-License-Identifier: MIT
// bench-ranks: times of solves and steps that are divided among ranks, threads of this process with
// a GPU each (or threads of a CPU). Every rank makes its own rows of a 7-point Laplacian, or of a
// kind that is made by rows; of others the first rank hands them out. Prints a JSON object per
// measurement and line. See scripts/measure/multi-gpu.py.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/distributed.hpp"
#include "dwell/stencil.hpp"

namespace dwell::bench {
namespace {

struct request {
  int ranks = 1, threads = 1, repetitions = 3;
  bool cpu = false;
  std::string transport = "nccl";
  std::vector<int> size;
  // Systems:
  std::string system;  // instead of a size
  std::vector<std::string> executors = {"auto"}, variants = {"auto"};
  int iterations = 200;
  // Fields:
  std::string shape = "2d5pt", executor = "auto";
  std::vector<int> exchange_every = {1};
  int steps = 400;

  device on(int rank) const { return cpu ? device::cpu(threads) : device::cuda(rank); }
  gpu_transport by() const {
    return transport == "host" ? gpu_transport::host : gpu_transport::nccl;
  }
};

/// Rows `first` to before `last` of a box of nz x ny x nx cells.
struct laplacian_rows {
  std::vector<std::int64_t> row_ptr{0}, col;
  std::vector<double> val;

  laplacian_rows(const std::array<std::int64_t, 3>& n, std::int64_t first, std::int64_t last) {
    const auto [nz, ny, nx] = n;
    const auto rows = static_cast<std::size_t>(last - first);
    row_ptr.reserve(rows + 1);
    col.reserve(7 * rows);
    val.reserve(7 * rows);
    const auto add = [&](std::int64_t column, double v) {
      col.push_back(column), val.push_back(v);
    };
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t x = i % nx, y = i / nx % ny, z = i / (nx * ny);
      if (z > 0) add(i - nx * ny, -1.0);
      if (y > 0) add(i - nx, -1.0);
      if (x > 0) add(i - 1, -1.0);
      add(i, 6.0);
      if (x + 1 < nx) add(i + 1, -1.0);
      if (y + 1 < ny) add(i + nx, -1.0);
      if (z + 1 < nz) add(i + nx * ny, -1.0);
      row_ptr.push_back(static_cast<std::int64_t>(col.size()));
    }
  }
};

distributed_matrix<double> laplacian(const std::shared_ptr<communicator>& comm,
                                     const std::vector<int>& size) {
  const std::array<std::int64_t, 3> n = {size[0], size[1], size[2]};
  const std::int64_t all = n[0] * n[1] * n[2];
  // Whole planes, as many for each.
  const auto first_of = [&](int rank) { return n[0] * rank / comm->size() * n[1] * n[2]; };
  const laplacian_rows mine(n, first_of(comm->rank()), first_of(comm->rank() + 1));
  return {comm, {all, mine.row_ptr, mine.col, mine.val}};
}

distributed_matrix<double> generated(const std::shared_ptr<communicator>& comm,
                                     const std::string& kind) {
  if (is_made_by_rows(kind)) return distribute<double>(comm, *generate_by_rows(kind));
  const bool first = comm->rank() == 0;
  const csr<double> whole = together(*comm, [&] { return first ? generate(kind) : csr<double>{}; });
  std::vector<std::int64_t> by;
  if (first) {
    const csr_view<double> a = whole.view();
    by = balanced_first_rows({a.row_ptr, static_cast<std::size_t>(a.rows) + 1}, comm->size());
  }
  return {comm, whole.view(), list_of_rank(*comm, 0, std::span<const std::int64_t>(by))};
}

void measure_systems(const request& q) {
  run_as_ranks(q.ranks, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<double> a =
        q.system.empty() ? laplacian(comm, q.size) : generated(comm, q.system);
    const std::string name =
        q.system.empty() ? fmt::format("{}x{}x{}", q.size[0], q.size[1], q.size[2]) : q.system;
    const std::vector<double> b(static_cast<std::size_t>(a.rows()), 1.0);
    for (const std::string& executor : q.executors)
      for (const std::string& variant : q.variants) {
        solve_options o;
        o.preconditioner = preconditioner::none;
        o.executor = executor;
        o.variant = variant;
        o.assume_symmetric = true;
        o.fixed_iterations = true;
        o.max_iterations = q.iterations;
        distributed_solver<double> solver(q.on(comm->rank()), a, o, q.by());
        std::vector<double> x(b.size());
        std::vector<double> us;
        solve_report last;
        for (int k = 0; k <= q.repetitions; ++k) {  // the first one warms up
          std::fill(x.begin(), x.end(), 0.0);
          last = solver.solve(b, x);
          const auto all = values_of_ranks(*comm, last.per_iteration_us);
          if (k > 0) us.push_back(*std::max_element(all.begin(), all.end()));
        }
        if (comm->rank() != 0) continue;
        std::sort(us.begin(), us.end());
        fmt::print(R"({{"what":"cg","size":"{}","nonzeros":{},"ranks":{},"transport":"{}",)"
                   R"("device":"{}","executor":"{}","variant":"{}","iterations":{},"us":{:.3f},)"
                   R"("least_us":{:.3f},"residual":{:.6e},"bytes":{}}})"
                   "\n",
                   name, a.all_nonzeros(), q.ranks, solver.transport(), last.device, last.executor,
                   last.variant, last.iterations, us[us.size() / 2], us.front(),
                   last.residual_relative_true, last.bytes_per_iteration);
        std::fflush(stdout);
      }
  });
}

void measure_fields(const request& q) {
  run_as_ranks(q.ranks, [&](std::shared_ptr<communicator> comm) {
    const extents all = q.size.size() == 3 ? extents(q.size[0], q.size[1], q.size[2])
                                           : extents(q.size[0], q.size[1]);
    for (const int every : q.exchange_every) {
      stencil_options o;
      o.shape = q.shape;
      o.executor = q.executor;
      distributed_stencil<double> field(q.on(comm->rank()), comm, all, o,
                                        {.steps_per_exchange = every, .by = q.by()});
      field.set_field(grid<double>(field.size()).view());
      std::vector<double> us;
      field.run(q.steps / 4);
      for (int k = 0; k < q.repetitions; ++k) {
        const auto took = values_of_ranks(*comm, field.run(q.steps).solve_s);
        us.push_back(*std::max_element(took.begin(), took.end()) * 1e6 / q.steps);
      }
      if (comm->rank() != 0) continue;
      std::sort(us.begin(), us.end());
      fmt::print(
          R"({{"what":"stencil","shape":"{}","size":"{}","cells":{},"ranks":{},"transport":"{}",)"
          R"("device":"{}","executor":"{}","steps_per_exchange":{},"us":{:.3f},"least_us":{:.3f}}})"
          "\n",
          q.shape, to_string(all), all.cells(), q.ranks, field.transport(), field.report().device,
          field.report().executor, field.share().steps_per_exchange, us[us.size() / 2], us.front());
      std::fflush(stdout);
    }
  });
}

int parse_and_run(int argc, char** argv) {
  request q;
  CLI::App app("Times of solves and steps that are divided among ranks with GPUs");
  app.name("bench-ranks");
  app.require_subcommand(1);
  const auto common = [&](CLI::App* to, int axes) {
    to->add_option("--size", q.size, "Cells: NxN or NxNxN, divided along the first axis")
        ->delimiter('x')
        ->expected(axes, 3);
    to->add_option("--ranks", q.ranks, "Each on a GPU")->check(CLI::Range(1, 64));
    to->add_option("--repetitions", q.repetitions, "The median is printed")
        ->check(CLI::Range(1, 1000));
    to->add_option("--transport", q.transport, "nccl or host")
        ->check(CLI::IsMember({"nccl", "host"}));
    to->add_flag("--cpu", q.cpu, "Ranks are threads of the CPU");
    to->add_option("--threads", q.threads, "Of each rank on the CPU")->check(CLI::Range(1, 1024));
  };
  CLI::App* const cg = app.add_subcommand("cg", "Iterations of conjugate gradients");
  common(cg, 3);
  cg->add_option("--system", q.system, "A generated matrix instead: like:af_1_k101, say")
      ->excludes("--size");
  cg->add_option("--executors", q.executors, "To measure")->delimiter(',');
  cg->add_option("--variants", q.variants, "To measure")->delimiter(',');
  cg->add_option("--iterations", q.iterations, "Of a solve")->check(CLI::Range(1, 1 << 20));
  CLI::App* const stencil = app.add_subcommand("stencil", "Steps of a stencil");
  common(stencil, 2);
  stencil->get_option("--size")->required();
  stencil->add_option("--shape", q.shape, "Of the stencil");
  stencil->add_option("--executor", q.executor, "Of each slab");
  stencil->add_option("--exchange-every", q.exchange_every, "Steps; 0: as planned")->delimiter(',');
  stencil->add_option("--steps", q.steps, "Of a run")->check(CLI::Range(4, 1 << 24));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 1;
  }
  if (*cg && q.size.empty() && q.system.empty()) throw input_error("expected --size or --system");
  *cg ? measure_systems(q) : measure_fields(q);
  return 0;
}

}  // namespace
}  // namespace dwell::bench

int main(int argc, char** argv) {
  try {
    return dwell::bench::parse_and_run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench-ranks: {}\n", e.what());
    return dynamic_cast<const dwell::device_error*>(&e) ? 77 : 1;
  }
}
