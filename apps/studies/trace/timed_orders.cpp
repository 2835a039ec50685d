// SPDX-License-Identifier: MIT
// Runs on made-up numbers. Compiled with the options of the library's kernels, for the product is a
// template.
#include "studies/trace/timed_orders.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>

#include "dwell/device/device.hpp"
#include "dwell/solvers/product/ordered_product.hpp"
#include "dwell/stencil/stencil_runner.hpp"

namespace dwell::trace {
namespace {

template <class T>
grid<T> made_up_field(const extents& n, unsigned state) {
  grid<T> u(n);
  for (T& v : u.cells()) v = static_cast<T>((state = state * 1664525u + 1013904223u) * 0x1p-32);
  return u;
}

std::vector<double> least_of(const std::vector<std::function<double()>>& all, int runs) {
  std::vector<double> least(all.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round <= runs; ++round)
    for (std::size_t k = 0; k < all.size(); ++k) {
      const double seconds = all[k]();
      if (round > 0) least[k] = std::min(least[k], seconds);
    }
  return least;
}

template <class T>
std::vector<double> times_of_steps(const timed_subject& of, const std::vector<cell_order>& orders,
                                   int runs) {
  const grid<T> start = made_up_field<T>(of.size, 1);
  std::vector<std::unique_ptr<stencil_runner<T>>> runners;
  std::vector<std::function<double()>> all;
  for (const cell_order& order : orders) {
    stencil_options o;
    o.shape = of.shape;
    o.executor = "persistent";
    o.order = to_string(order);
    runners.push_back(std::make_unique<stencil_runner<T>>(device::cpu(1), of.size, o));
    auto* const runner = runners.back().get();
    runner->set_field(start);
    all.emplace_back([runner] { return runner->run(1).solve_s; });
  }
  return least_of(all, runs);
}

template <class T>
std::vector<double> times_of_products(const timed_subject& of,
                                      const std::vector<cell_order>& orders, int runs) {
  using clock = std::chrono::steady_clock;
  const auto a = made_up_field<T>({of.size.y, of.inner}, 1);
  const auto b = made_up_field<T>({of.inner, of.size.x}, 2);
  grid<T> c(of.size);
  std::vector<std::function<double()>> all;
  for (const cell_order& order : orders)
    all.emplace_back([&a, &b, &c, order] {
      const auto begin = clock::now();
      ordered_product<T>(a.view(), b.view(), c.view(), order, 1);
      return std::chrono::duration<double>(clock::now() - begin).count();
    });
  return least_of(all, runs);
}

template <class T>
std::vector<double> times_of(const timed_subject& of, const std::vector<cell_order>& orders,
                             int runs) {
  return of.inner > 0 ? times_of_products<T>(of, orders, runs)
                      : times_of_steps<T>(of, orders, runs);
}

}  // namespace

std::vector<double> seconds_by_order(const timed_subject& subject,
                                     const std::vector<cell_order>& orders, int runs) {
  return subject.precision == "f64" ? times_of<double>(subject, orders, runs)
                                    : times_of<float>(subject, orders, runs);
}

}  // namespace dwell::trace
