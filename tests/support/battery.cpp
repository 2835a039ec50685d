// SPDX-License-Identifier: MIT
// The matrices of the battery. Unless a case is about values, its off-diagonal part is random and
// its diagonal is the sum of the row's magnitudes plus a positive shift: positive definite by
// Gershgorin, and the shift against the row sums sets the condition.
#include "battery.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "symmetric.hpp"

namespace dwell::test {
namespace {

const auto shift_one = [](index) { return 1.0; };

/// Random couplings at most `reach` from the diagonal, about `per_row` of them.
csr<double> band(index n, index reach, int per_row, std::uint64_t seed) {
  symmetric s(n);
  splitmix64 random(seed);
  for (index i = 0; i < n; ++i)
    for (int k = 0; k < per_row / 2; ++k) {
      const index j = i + 1 + random.below(reach);
      if (j < n) s.add(i, j, random.uniform());
    }
  return s.dominant(shift_one);
}

/// Identity-like rows and the given rows (and columns) dense.
csr<double> with_dense_rows(index n, std::vector<index> full, std::uint64_t seed) {
  symmetric s(n);
  splitmix64 random(seed);
  for (const index i : full)
    for (index j = 0; j < n; ++j)
      if (j != i && !s.has(i, j)) s.add(i, j, random.uniform());
  for (index i = 0; i + 1 < n; ++i)
    if (!s.has(i, i + 1)) s.add(i, i + 1, 0.25 * random.uniform());
  // Rows of weight about 1 beside one of weight n / 2: the shift keeps the condition near 1000.
  return s.dominant([n](index) { return 0.001 * n + 1; });
}

csr<double> power_law(index n) {
  symmetric s(n);
  splitmix64 random(71);
  for (index i = 0; i < n; ++i) {
    const int degree = std::max(1, static_cast<int>(0.5 * n / std::pow(i + 1.0, 0.9)));
    for (int k = 0; k < degree; ++k) {
      const index j = random.below(n);
      if (j != i && !s.has(i, j)) s.add(i, j, random.uniform());
    }
  }
  return s.dominant([](index) { return 2.0; });
}

/// Dense blocks of 1, 2, ..., 24, 1, 2, ... rows along the diagonal.
csr<double> blocks(int count) {
  std::vector<index> sizes;
  for (int k = 0; k < count; ++k) sizes.push_back(1 + k % 24);
  symmetric s(std::accumulate(sizes.begin(), sizes.end(), 0));
  splitmix64 random(91);
  index first = 0;
  for (const index size : sizes) {
    for (index i = first; i < first + size; ++i)
      for (index j = i + 1; j < first + size; ++j) s.add(i, j, random.uniform());
    first += size;
  }
  return s.dominant(shift_one);
}

/// Long rows among rows that hold their diagonal only.
csr<double> lonely(index n) {
  symmetric s(n);
  splitmix64 random(101);
  for (index i = 5; i < n; i += 97)
    for (index j = 5; j < i; j += 97) s.add(i, j, random.uniform());
  return s.dominant(shift_one);
}

csr<double> diagonal(index n) {
  symmetric s(n);
  for (index i = 0; i < n; ++i) s.add(i, i, 1 + i % 7);
  return s.as_is();
}

csr<double> identity(index n) {
  symmetric s(n);
  for (index i = 0; i < n; ++i) s.add(i, i, 1);
  return s.as_is();
}

/// Zeros that are stored: they count as nonzeros of the pattern and of nothing else.
csr<double> stored_zeros(index n) {
  csr<double> a = band(n, 9, 8, 111);
  splitmix64 random(112);
  symmetric s(n);
  for (index i = 0; i < n; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (a.col[at] >= i)
        s.add(i, a.col[at], a.col[at] != i && random.below(3) == 0 ? 0.0 : a.val[at]);
    }
  return s.as_is();
}

/// D A D with D from 1/16 to 16: hundreds of steps without Jacobi's preconditioner, few with it.
csr<double> badly_scaled(index n) {
  csr<double> a = band(n, 20, 6, 121);
  const auto d = [](index i) { return std::ldexp(1.0, (i * 37) % 9 - 4); };
  for (index i = 0; i < n; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      a.val[at] *= d(i) * d(a.col[at]);
    }
  return a;
}

/// Neighbours, and first with last.
csr<double> corner(index n) {
  symmetric s(n);
  splitmix64 random(131);
  for (index i = 0; i + 1 < n; ++i) s.add(i, i + 1, random.uniform());
  s.add(0, n - 1, 0.5);
  return s.dominant(shift_one);
}

csr<double> hilbert(index n) {
  symmetric s(n);
  for (index i = 0; i < n; ++i)
    for (index j = i; j < n; ++j) s.add(i, j, 1.0 / (i + j + 1));
  return s.as_is();
}

std::vector<battery_case> make_battery() {
  std::vector<battery_case> all = {
      {"one_by_one", "one row, one nonzero", [] { return dense({{4}}); }},
      {"two_by_two", "the smallest coupling",
       [] {
         return dense({{4, 1}, {1, 3}});
       }},
      {"five_rows", "fewer rows than teams", [] { return band(5, 2, 4, 11); }},
      {"seventeen_dense", "fewer rows than teams, more nonzeros", [] { return blocks(17); }},
      {"identity_257", "one step to the answer", [] { return identity(257); }},
      {"diagonal_100", "one nonzero a row", [] { return diagonal(100); }},
      {"diagonal_512", "merge items an exact multiple of a tile", [] { return diagonal(512); }},
      {"tridiagonal_500", "neighbours over every cut", [] { return tridiagonal(500, 2.1, -1); }},
      {"prime_1009", "a size that nothing divides", [] { return band(1009, 30, 8, 21); }},
      {"blocks_300", "rows of unequal length in clumps", [] { return blocks(48); }},
      {"arrow_first", "first row and column dense", [] { return with_dense_rows(700, {0}, 31); }},
      {"arrow_last", "last row and column dense", [] { return with_dense_rows(700, {699}, 32); }},
      {"dense_row_middle", "one row longer than any team's piece",
       [] { return with_dense_rows(3000, {1500}, 41); }},
      {"dense_rows_adjacent", "a cut in each of three long rows",
       [] {
         return with_dense_rows(601, {299, 300, 301}, 42);
       }},
      {"row_of_20501", "one row longer than any tile, cut several times",
       [] { return with_dense_rows(20501, {7}, 43); }},
      {"power_law_1500", "a few long rows, many short ones", [] { return power_law(1500); }},
      {"lonely_rows", "runs of rows with a diagonal only", [] { return lonely(1500); }},
      {"permuted_800", "no locality",
       [] { return renumber(band(800, 40, 8, 81).view(), renumbering(800, 82)); }},
      {"mesh_33x47", "5-point mesh of odd sizes", [] { return mesh(33, 47, 4.2); }},
      {"mesh_101x1", "a mesh that is a line", [] { return mesh(101, 1, 4); }},
      {"stored_zeros", "explicit zeros in the pattern", [] { return stored_zeros(400); }},
      {"ill_tridiagonal", "condition 1e5", [] { return tridiagonal(401, 2, -1); }},
      {"ill_scaled", "rows of very different size", [] { return badly_scaled(300); }},
      {"ill_hilbert_6", "condition 1e7 in six rows", [] { return hilbert(6); }},
  };
  for (const index n : {65536, 65537})
    all.push_back({"corner_" + std::to_string(n),
                   "columns of a row just within, just beyond 16 bits", [n] { return corner(n); }});
  for (const index n : {31, 32, 33, 255, 256, 257, 511, 513, 1023, 1024, 1025})
    all.push_back({"tile_" + std::to_string(n), "a size at or beside a multiple of a tile",
                   [n] { return band(n, 12, 6, static_cast<std::uint64_t>(n)); }});
  return all;
}

}  // namespace

const std::vector<battery_case>& battery() {
  static const std::vector<battery_case> all = make_battery();
  return all;
}

std::vector<std::string> names_of_battery() {
  std::vector<std::string> all;
  for (const battery_case& c : battery()) all.push_back(c.name);
  return all;
}

const battery_case& battery_at(const std::string& name) {
  for (const auto& c : battery())
    if (c.name == name) return c;
  throw std::out_of_range("no case '" + name + "' in the battery");
}

csr<double> tridiagonal(index n, double diagonal, double beside) {
  symmetric s(n);
  for (index i = 0; i < n; ++i) {
    s.add(i, i, diagonal);
    if (i + 1 < n) s.add(i, i + 1, beside);
  }
  return s.as_is();
}

csr<double> mesh(index width, index height, double diagonal) {
  symmetric s(width * height);
  for (index y = 0; y < height; ++y)
    for (index x = 0; x < width; ++x) {
      const index i = y * width + x;
      s.add(i, i, diagonal);
      if (x + 1 < width) s.add(i, i + 1, -1);
      if (y + 1 < height) s.add(i, i + width, -1);
    }
  return s.as_is();
}

csr<double> dense(const std::vector<std::vector<double>>& rows) {
  csr<double> a;
  a.rows = static_cast<index>(rows.size());
  for (const auto& row : rows) {
    a.cols = std::max(a.cols, static_cast<index>(row.size()));
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) {
        a.col.push_back(static_cast<index>(j));
        a.val.push_back(row[j]);
      }
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}

std::vector<index> renumbering(index n, std::uint64_t seed) {
  std::vector<index> to(static_cast<std::size_t>(n));
  std::iota(to.begin(), to.end(), 0);
  splitmix64 random(seed);
  for (std::size_t i = to.size(); seed != 0 && i > 1; --i)
    std::swap(to[i - 1], to[static_cast<std::size_t>(random.below(static_cast<index>(i)))]);
  return to;
}

csr<double> renumber(const csr_view<double>& a, const std::vector<index>& to) {
  std::vector<index> from(to.size());
  for (std::size_t i = 0; i < to.size(); ++i)
    from[static_cast<std::size_t>(to[i])] = static_cast<index>(i);
  csr<double> out;
  out.rows = out.cols = a.rows;
  std::vector<std::pair<index, double>> row;
  for (const index i : from) {
    row.clear();
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      row.emplace_back(to[static_cast<std::size_t>(a.col[k])], a.val[k]);
    std::sort(row.begin(), row.end());
    for (const auto& [j, v] : row) {
      out.col.push_back(j);
      out.val.push_back(v);
    }
    out.row_ptr.push_back(static_cast<index>(out.col.size()));
  }
  return out;
}

std::vector<double> random_vector(index n, std::uint64_t seed) {
  splitmix64 random(seed);
  std::vector<double> v(static_cast<std::size_t>(n));
  for (double& e : v) e = random.uniform();
  return v;
}

}  // namespace dwell::test
