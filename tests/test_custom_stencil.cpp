// SPDX-License-Identifier: MIT
// Stencils that Dwell does not know, compiled here by dwell/custom_stencil.hpp: under every
// executor that it offers, whole fields with the bits of plain loops.
#include <gtest/gtest.h>

#include <cstring>

#include "dwell/custom_stencil.hpp"
#include "dwell/formats/error.hpp"

namespace dwell::test {
namespace {

/// Neither a star nor a box, and wider below than above.
struct lopsided : linear_sweep<lopsided> {
  static constexpr const char* name = "lopsided";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0}, {0, -1}, {2, 1}, {-1, 0}, {1, -2}};
};

/// Not linear, with two parameters.
struct limiter {
  static constexpr const char* name = "limiter";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};
  static constexpr double defaults[] = {0.2, 0.5};
  static constexpr int flops = 9;
  template <class T, class Near>
  DWELL_FN static T apply(const Near& u, const T* w) {
    const T here = u(0, 0);
    const T pull = (u(0, -1) - here) + (u(0, 1) - here) + (u(-1, 0) - here) + (u(1, 0) - here);
    return multiply_add(w[0], pull > w[1] ? w[1] : pull, here);
  }
};

struct upwind : linear_sweep<upwind> {
  static constexpr const char* name = "upwind";
  static constexpr int dims = 3;
  static constexpr tap taps[] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
};

int wrapped(int i, int n) { return (i % n + n) % n; }
int mirrored(int i, int n) { return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i; }

/// One step by loops over all cells; extents are at least the radius.
template <class S, class T>
grid<T> step(const grid<T>& u, boundary edge, const grid<T>* source) {
  constexpr int r = radius_of<S>;
  const extents n = u.size();
  const auto weights = default_weights<S>();
  T w[weight_count<S>];
  for (std::size_t k = 0; k < weights.size(); ++k) w[k] = static_cast<T>(weights[k]);
  grid<T> out = u;
  const auto place = [&](int i, int size) {
    return edge == boundary::periodic ? wrapped(i, size) : mirrored(i, size);
  };
  const auto outside = [&](int i, int size) { return i < r || i >= size - r; };
  for (int z = 0; z < n.z; ++z)
    for (int y = 0; y < n.y; ++y)
      for (int x = 0; x < n.x; ++x) {
        if (edge == boundary::fixed &&
            (outside(y, n.y) || outside(x, n.x) || (n.dims == 3 && outside(z, n.z))))
          continue;
        struct near {
          const grid<T>& u;
          decltype(place)& at;
          int z, y, x;
          T operator()(int dy, int dx) const { return (*this)(0, dy, dx); }
          T operator()(int dz, int dy, int dx) const {
            return u(at(z + dz, u.size().z), at(y + dy, u.size().y), at(x + dx, u.size().x));
          }
        };
        T v = S::template apply<T>(near{u, place, z, y, x}, w);
        if (source) v += (*source)(z, y, x);
        out(z, y, x) = v;
      }
  return out;
}

template <class T>
grid<T> random_field(const extents& n, unsigned state) {
  grid<T> u(n);
  for (T& v : u.cells()) v = static_cast<T>((state = state * 1664525u + 1013904223u) * 0x1p-32);
  return u;
}

template <class S, class T>
void every_way_gives_the_bits_of_loops(const extents& n) {
  const auto start = random_field<T>(n, 1), source = random_field<T>(n, 2);
  for (const grid<T>* f : {static_cast<const grid<T>*>(nullptr), &source})
    for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect}) {
      grid<T> expected = start;
      for (int k = 0; k < 9; ++k) expected = step<S>(expected, edge, f);
      int ways = 0;
      for (const auto& v : custom_variants<S, T>()) {
        grid<T> u = start;
        stencil_options o;
        o.executor = v.executor;
        o.edge = edge;
        o.steps = 9;
        const auto report = solve<S>(device::cpu(2), u, o, f);
        EXPECT_EQ(report.shape, S::name);
        EXPECT_EQ(report.executor, v.executor);
        EXPECT_EQ(std::memcmp(u.cells().data(), expected.cells().data(), u.cells().size_bytes()), 0)
            << S::name << " under " << v.executor << ", " << to_string(edge)
            << (f ? ", with a source" : "");
        ++ways;
      }
      EXPECT_GE(ways, 3);
    }
}

TEST(custom_stencil, a_linear_one_of_odd_form) {
  every_way_gives_the_bits_of_loops<lopsided, double>({41, 150});
  every_way_gives_the_bits_of_loops<lopsided, float>({7, 23});
}
TEST(custom_stencil, one_that_is_not_linear) {
  every_way_gives_the_bits_of_loops<limiter, double>({33, 70});
}
TEST(custom_stencil, one_in_three_dimensions) {
  every_way_gives_the_bits_of_loops<upwind, double>({9, 12, 37});
  every_way_gives_the_bits_of_loops<upwind, float>({5, 4, 6});
}

TEST(custom_stencil, what_is_not_compiled_is_refused) {
  grid<double> u(extents(8, 8));
  stencil_options o;
  o.executor = "turbo";
  EXPECT_THROW(solve<lopsided>(device::cpu(2), u, o), unsupported_error);
  grid<double> deep(extents(8, 8, 8));
  EXPECT_THROW(solve<lopsided>(device::cpu(2), deep), input_error);
}

}  // namespace
}  // namespace dwell::test
