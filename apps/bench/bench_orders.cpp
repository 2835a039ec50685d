// SPDX-License-Identifier: MIT
// bench-orders: steps of a stencil, or products of matrices, whose cells are taken in several
// orders. All orders take turns, and the best time of each counts, since another program on the
// machine can only make one longer. Products are compared with Eigen's, if there is Eigen.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/execution/stencil/plan/column_width.hpp"
#include "dwell/solvers/product/ordered_product.hpp"
#include "dwell/stencil/stencil_runner.hpp"
#if defined(DWELL_HAVE_EIGEN)
#include <Eigen/Dense>
#endif

namespace dwell {
namespace {

struct settings {
  std::string shape = "2d5pt", precision = "f64";
  std::vector<std::string> sizes, orders = {"rows", "auto"};
  int threads = 2, rounds = 7, steps = 2;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// "4096x4096", or of products "2048x2048x512": rows and columns of C, columns of A.
extents parse_size(const std::string& text) {
  std::vector<int> n;
  for (std::size_t begin = 0; begin <= text.size(); begin = text.find('x', begin) + 1) {
    n.push_back(std::stoi(text.substr(begin)));
    if (text.find('x', begin) == text.npos) break;
  }
  if (n.size() == 2) return {n[0], n[1]};
  if (n.size() == 3) return {n[0], n[1], n[2]};
  throw input_error("size: expected two or three numbers, found " + text);
}

template <class T>
grid<T> made_up(const extents& n, unsigned state) {
  grid<T> u(n);
  for (T& v : u.cells()) v = static_cast<T>((state = state * 1664525u + 1013904223u) * 0x1p-32);
  return u;
}

struct contender {
  std::string name;
  std::function<double()> run;  ///< the seconds of one step or product
  double best = 1e300;
};

/// A line for each, with the rate of `work` and the ratio to the first.
void race(std::vector<contender>& all, int rounds, const std::string& size, double work) {
  for (int round = 0; round <= rounds; ++round)
    for (auto& c : all) {
      const double seconds = c.run();
      if (round > 0) c.best = std::min(c.best, seconds);
    }
  for (const auto& c : all)
    fmt::print("| {} | {} | {:.3g} | {:.3g} | {:.2f} |\n", size, c.name, c.best * 1e3,
               work / c.best * 1e-9, all[0].best / c.best);
  std::fflush(stdout);
}

template <class T>
void race_stencil(const settings& how) {
  fmt::print(
      "| field | order | ms per step | GCells/s | over the first |\n|---|---|--:|--:|--:|\n");
  for (const auto& text : how.sizes) {
    const extents n = parse_size(text);
    const grid<T> start = made_up<T>(n, 1);
    std::vector<std::unique_ptr<stencil_runner<T>>> runners;
    std::vector<contender> all;
    double cells = 0;
    for (const auto& order : how.orders) {
      stencil_options o;
      o.shape = how.shape;
      o.executor = "persistent";
      o.order = order;
      runners.push_back(std::make_unique<stencil_runner<T>>(device::cpu(how.threads), n, o));
      auto* runner = runners.back().get();
      runner->set_field(start);
      cells = static_cast<double>(runner->report().changing_cells);
      const auto& taken = runner->report().order;
      all.push_back({order == taken ? order : fmt::format("{} ({})", order, taken),
                     [runner, &how] { return runner->run(how.steps).solve_s / how.steps; }});
    }
    race(all, how.rounds, text, cells);
  }
}

/// Columns that half of a core's cache holds beside the rows of A.
cell_order order_of_product(const std::string& text, int inner, std::size_t unit) {
  const auto asked = parse_cell_order(text, 2);
  if (asked) return *asked;
  const double c =
      model::column_width_beside_rows(static_cast<double>(unit), inner,
                                      0.5 * static_cast<double>(device::cpu(1).facts().core_cache));
  const int width = std::max(static_cast<int>(c) / product_lanes, 1) * product_lanes;
  return *parse_cell_order("columns:" + std::to_string(width), 2);
}

template <class T>
void race_product(const settings& how) {
  fmt::print("| product | order | ms | Gflop/s | over the first |\n|---|---|--:|--:|--:|\n");
  for (const auto& text : how.sizes) {
    const extents n = parse_size(text);
    const int rows = n.z, columns = n.y, inner = n.x;
    const auto a = made_up<T>({rows, inner}, 1), b = made_up<T>({inner, columns}, 2);
    grid<T> c({rows, columns});
    std::vector<contender> all;
    for (const auto& name : how.orders) {
      const cell_order order = order_of_product(name, inner, sizeof(T));
      all.push_back(
          {name == to_string(order) ? name : fmt::format("{} ({})", name, to_string(order)),
           [&, order] {
             const double begin = seconds_now();
             ordered_product<T>(a.view(), b.view(), c.view(), order, how.threads);
             return seconds_now() - begin;
           }});
    }
#if defined(DWELL_HAVE_EIGEN)
    using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::setNbThreads(how.threads);
    all.push_back({"Eigen", [&] {
                     const double begin = seconds_now();
                     Eigen::Map<matrix>(c.cells().data(), rows, columns).noalias() =
                         Eigen::Map<const matrix>(a.cells().data(), rows, inner) *
                         Eigen::Map<const matrix>(b.cells().data(), inner, columns);
                     return seconds_now() - begin;
                   }});
#endif
    race(all, how.rounds, text, 2.0 * rows * columns * inner);
  }
}

int run(int argc, char** argv) {
  CLI::App app("Orders of cells: steps of a stencil, or products of matrices.");
  settings how;
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--order", how.orders, "Orders, the first of which is the baseline")
      ->delimiter(',');
  app.add_option("--threads", how.threads)->capture_default_str();
  app.add_option("--rounds", how.rounds, "Runs of each that count")->capture_default_str();
  app.add_option("--precision", how.precision)
      ->check(CLI::IsMember({"f64", "f32"}))
      ->capture_default_str();
  auto* stencil = app.add_subcommand("stencil", "Steps of executor persistent");
  stencil->add_option("SHAPE", how.shape)->required();
  stencil->add_option("--steps", how.steps, "Of each run")->capture_default_str();
  auto* product = app.add_subcommand("product", "Products of matrices, sizes MxNxK");
  for (auto* sub : {stencil, product})
    sub->add_option("--size", how.sizes)->delimiter(',')->required();
  CLI11_PARSE(app, argc, argv);
  const bool wide = how.precision == "f64";
  if (stencil->parsed())
    wide ? race_stencil<double>(how) : race_stencil<float>(how);
  else
    wide ? race_product<double>(how) : race_product<float>(how);
  return 0;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) try {
  return dwell::run(argc, argv);
} catch (const std::exception& e) {
  fmt::print(stderr, "bench-orders: {}\n", e.what());
  return 1;
}
