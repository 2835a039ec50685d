// SPDX-License-Identifier: MIT
// Fields, coefficients and parameters drawn at random for a stencil of shapes_of_fields.hpp, and
// steps of it by plain loops over whole arrays.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"
#include "shapes_of_fields.hpp"

namespace dwell::shapes_of_fields {

template <class T>
using arrays = std::vector<std::vector<T>>;

template <class S, class T>
struct fields_case {
  int nx = 1, ny = 1, pitch = 1;
  arrays<T> fields, coefficients;
  fields_pass<T> args;

  fields_case(int x, int y, std::mt19937_64& draw) : nx(x), ny(y) {
    constexpr int unit = 16 / sizeof(T);
    pitch = (nx + unit - 1) / unit * unit;
    std::uniform_real_distribution<T> values(-1, 1);
    const auto make = [&](T scale) {
      std::vector<T> a(static_cast<std::size_t>(pitch) * ny,
                       std::numeric_limits<T>::quiet_NaN());  // between rows, too
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
          a[static_cast<std::size_t>(j) * pitch + i] = scale * values(draw);
      return a;
    };
    for (int f = 0; f < S::fields; ++f) fields.push_back(make(1));
    for (int k = 0; k < S::coefficients; ++k) coefficients.push_back(make(T(0.2)));
    args.nx = nx;
    args.ny = ny;
    args.pitch = pitch;
    for (auto& array : args.outside)
      for (auto& axis : array)
        for (T& v : axis) v = values(draw);
    for (T& v : args.p) v = T(0.1) * values(draw);
  }
};

/// Stages G and following of one step, by plain loops.
template <class S, class T, int G = 0>
void plain_step(fields_case<S, T>& c) {
  if constexpr (G < S::stages) {
    const T* all[array_count<S>];
    for (int f = 0; f < S::fields; ++f) all[f] = c.fields[f].data();
    for (int k = 0; k < S::coefficients; ++k) all[S::fields + k] = c.coefficients[k].data();
    arrays<T> out = c.fields;
    for (int y = 0; y < c.ny; ++y)
      for (int x = 0; x < c.nx; ++x) {
        T next[S::fields];
        plain_cell<S, T>{all, c.args.p, &c.args.outside[0][0][0], next, c.nx, c.ny, c.pitch, x, y}
            .template stage<G>();
        for (int f = 0; f < S::fields; ++f)
          out[f][static_cast<std::size_t>(y) * c.pitch + x] = next[f];
      }
    c.fields = std::move(out);
    plain_step<S, T, G + 1>(c);
  }
}

/// Fixed cells of a field that becomes another one are the host's.
template <class S, class T>
bool is_host_s(const fields_case<S, T>& c, int f, int x, int y) {
  const plain_cell<S, T> cell{nullptr, nullptr, nullptr, nullptr, c.nx, c.ny, c.pitch, x, y};
  return S::template copy_of<0>(f) >= 0 && cell.is_fixed();
}

/// Compares all cells, to the bit but for what kind of NaN a NaN is, with what the case has; counts
/// those that are finite.
template <class S, class T>
void expect_fields(const fields_case<S, T>& c, const arrays<T>& found, std::size_t& finite) {
  for (int f = 0; f < S::fields; ++f)
    for (int y = 0; y < c.ny; ++y)
      for (int x = 0; x < c.nx; ++x) {
        if (is_host_s(c, f, x, y)) continue;
        const std::size_t i = static_cast<std::size_t>(y) * c.pitch + x;
        const T want = c.fields[f][i], have = found[f][i];
        finite += std::isfinite(want);
        ASSERT_TRUE(std::memcmp(&have, &want, sizeof(T)) == 0 || (have != have && want != want))
            << "field " << f << ", row " << y << ", column " << x << ": expected " << want
            << ", found " << have;
      }
}

}  // namespace dwell::shapes_of_fields
