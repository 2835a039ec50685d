// SPDX-License-Identifier: MIT
// generate(): each family against its definition, Trefethen against SuiteSparse's own files, and
// what is said of kinds and sizes that do not exist.
#include "dwell/datasets/generators.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numbers>

#include "dwell/base/error.hpp"
#include "dwell/datasets/model_problems.hpp"
#include "dwell/formats/matrix_market.hpp"

namespace dwell {
namespace {

void expect_equal(const csr<double>& a, const csr<double>& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_TRUE(a.row_ptr == b.row_ptr);
  EXPECT_TRUE(a.col == b.col);
  EXPECT_TRUE(a.val == b.val);
}

/// The n x n matrix whose entry (i, j) is `entry(i, j)`, zeros left out.
csr<double> by_definition(index n, const std::function<double(index, index)>& entry) {
  csr<double> a;
  a.rows = a.cols = n;
  for (index i = 0; i < n; ++i) {
    for (index j = 0; j < n; ++j)
      if (const double v = entry(i, j); v != 0) {
        a.col.push_back(j);
        a.val.push_back(v);
      }
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}

std::string message_of(const std::string& kind) {
  try {
    generate(kind);
  } catch (const input_error& e) {
    return e.what();
  }
  return "no input_error";
}

TEST(Trefethen, FollowsItsDefinition) {
  const auto prime = [](index k) {
    index p = 1;
    for (index found = 0; found <= k;) {
      ++p;
      bool divisible = false;
      for (index d = 2; d * d <= p; ++d) divisible |= p % d == 0;
      found += !divisible;
    }
    return p;
  };
  for (const index n : {1, 2, 3, 4, 5, 6, 7, 16, 17, 33, 100}) {
    SCOPED_TRACE(n);
    const auto expected = by_definition(n, [&](index i, index j) {
      if (i == j) return static_cast<double>(prime(i));
      return std::has_single_bit(static_cast<unsigned>(std::abs(i - j))) ? 1.0 : 0.0;
    });
    expect_equal(generate("trefethen:" + std::to_string(n)), expected);
    EXPECT_EQ(detail::trefethen_nonzeros(n), expected.nonzeros());
  }
}

TEST(Trefethen, EqualsTheFilesOfSuiteSparse) {
  const char* set = std::getenv("DWELL_MATRICES");
  const std::filesystem::path folder = set ? set : DWELL_MATRICES;
  int compared = 0;
  for (const std::string n : {"500", "2000", "20000"}) {
    const auto file = folder / ("Trefethen_" + n + ".mtx.gz");
    if (!std::filesystem::exists(file)) continue;
    SCOPED_TRACE(file);
    expect_equal(generate("trefethen:" + n), read_matrix_market(file).matrix);
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "no Trefethen_N.mtx.gz in DWELL_MATRICES ('" << folder << "')";
}

TEST(Trefethen, CountsPrimesRight) {
  const auto primes = detail::first_primes(100'000);
  ASSERT_EQ(std::ssize(primes), 100'000);
  EXPECT_EQ(primes[999], 7919);
  EXPECT_EQ(primes[9'999], 104'729);
  EXPECT_EQ(primes[99'999], 1'299'709);
}

TEST(Poisson, FollowsItsDefinition) {
  for (const auto [w, h, d] : {std::array{1, 1, 1},
                               {5, 1, 1},
                               {1, 5, 1},
                               {2, 3, 1},
                               {7, 5, 1},
                               {1, 1, 4},
                               {2, 2, 2},
                               {3, 4, 5}}) {
    const auto laplacian = [w = w, h = h](double diagonal) {
      return [=](index i, index j) {
        if (i == j) return diagonal;
        const int apart = std::abs(i % w - j % w) + std::abs(i / w % h - j / w % h) +
                          std::abs(i / (w * h) - j / (w * h));
        return apart == 1 ? -1.0 : 0.0;
      };
    };
    const std::string flat = std::to_string(w) + "x" + std::to_string(h);
    const std::string solid = flat + "x" + std::to_string(d);
    SCOPED_TRACE(solid);
    const auto expected = by_definition(w * h * d, laplacian(6));
    expect_equal(generate("poisson3d:" + solid), expected);
    const index n = w * h * d;
    const auto off = [of = laplacian(0)](index i, index j) { return i == j ? 0.0 : of(i, j); };
    const auto neumann = by_definition(n, [off, n](index i, index j) {
      double sum = 0;
      for (index k = 0; k < n; ++k) sum += off(i, k);
      return i == j ? -sum : off(i, j);
    });
    if (n > 1) expect_equal(generate("neumann3d:" + solid), neumann);
    if (n > 1 && d == 1) expect_equal(generate("neumann2d:" + flat), neumann);
    EXPECT_EQ(detail::poisson_nonzeros(w, h, d), expected.nonzeros());
    if (d == 1) expect_equal(generate("poisson2d:" + flat), by_definition(w * h, laplacian(4)));
  }
}

TEST(Convection2d, FollowsItsDefinition) {
  for (const auto [w, h] : {std::array{1, 1}, {4, 1}, {1, 4}, {7, 5}}) {
    const double upwind = 12.5 / (w + 1);
    const auto expected = by_definition(w * h, [=, w = w](index i, index j) {
      if (i == j) return 4 + upwind;
      const int across = j % w - i % w, along = j / w - i / w;
      if (along == 0 && across == -1) return -1 - upwind;
      return std::abs(across) + std::abs(along) == 1 ? -1.0 : 0.0;
    });
    const std::string size = std::to_string(w) + "x" + std::to_string(h);
    expect_equal(generate("convection2d:" + size + ":12.5"), expected);
  }
  expect_equal(generate("convection2d:6x5:0"), generate("poisson2d:6x5"));
}

TEST(Helmholtz2d, IsThatOfPoissonLessTheSquareOfAWaveNumber) {
  const double angle = 2 * std::numbers::pi * 1.5 / 8;
  csr<double> expected = generate("poisson2d:7x5");
  for (double& v : expected.val)
    if (v == 4) v = 4 - angle * angle;
  expect_equal(generate("helmholtz2d:7x5:1.5"), expected);
  expect_equal(generate("helmholtz2d:7x5:0"), generate("poisson2d:7x5"));
}

TEST(Anisotropic2d, FollowsItsDefinition) {
  for (const auto [w, h] : {std::array{1, 1}, {4, 1}, {1, 4}, {7, 5}}) {
    const auto expected = by_definition(w * h, [w = w](index i, index j) {
      if (i == j) return 2.25;
      const int across = std::abs(j % w - i % w), along = std::abs(j / w - i / w);
      return across + along != 1 ? 0.0 : across == 1 ? -1.0 : -0.125;
    });
    const std::string size = std::to_string(w) + "x" + std::to_string(h);
    expect_equal(generate("anisotropic2d:" + size + ":0.125"), expected);
  }
  expect_equal(generate("anisotropic2d:6x5:1"), generate("poisson2d:6x5"));
}

TEST(Jumps2d, HasHarmonicMeansBetweenSquares) {
  const csr<double> a = generate("jumps2d:102x3:3");
  const auto element = [&](index i, index j) {
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (a.col[static_cast<std::size_t>(k)] == j) return a.val[static_cast<std::size_t>(k)];
    return 0.0;
  };
  EXPECT_EQ(element(0, 1), -1.0);
  EXPECT_EQ(element(49, 50), -1.5);  // 2 * 1 * 3 / (1 + 3)
  EXPECT_EQ(element(50, 49), -1.5);
  EXPECT_EQ(element(50, 51), -3.0);
  EXPECT_EQ(element(50, 152), -3.0);
  EXPECT_EQ(element(49, 49), 4.5);
  EXPECT_EQ(element(100, 100), 1.0 + 1.0 + 1.5 + 1.0);
  expect_equal(generate("jumps2d:60x51:1"), generate("poisson2d:60x51"));
}

TEST(Box3d, FollowsItsDefinition) {
  for (const index n : {1, 2, 3, 5}) {
    SCOPED_TRACE(n);
    const auto expected = by_definition(n * n * n, [n](index i, index j) {
      if (i == j) return 26.5;
      const auto near = [](index a, index b) { return std::abs(a - b) <= 1; };
      return near(i % n, j % n) && near(i / n % n, j / n % n) && near(i / (n * n), j / (n * n))
                 ? -1.0
                 : 0.0;
    });
    expect_equal(generate("box3d:" + std::to_string(n)), expected);
    EXPECT_EQ(detail::box_nonzeros(n), expected.nonzeros());
  }
}

TEST(Generate, SaysWhatWasExpected) {
  const struct {
    std::string kind, message;
  } cases[] = {
      {"trefethen:abc", "expected trefethen:N with 1 <= N <= "},
      {"trefethen:", "found 'trefethen:'"},
      {"trefethen:0", "found 'trefethen:0'"},
      {"trefethen:-5", "found 'trefethen:-5'"},
      {"trefethen:+5", "found 'trefethen:+5'"},
      {"trefethen: 5", "found 'trefethen: 5'"},
      {"trefethen:5 ", "found 'trefethen:5 '"},
      {"trefethen:5.0", "found 'trefethen:5.0'"},
      {"trefethen:1e3", "found 'trefethen:1e3'"},
      {"trefethen:5x5", "found 'trefethen:5x5'"},
      {"trefethen:99999999999999999999", "expected trefethen:N with 1 <= N <= "},
      {"trefethen:2147483647", "expected trefethen:N with 1 <= N <= "},
      {"poisson2d:10", "expected poisson2d:WxH with sizes of at least 1, found 'poisson2d:10'"},
      {"poisson2d:10x", "expected poisson2d:WxH with sizes of at least 1"},
      {"poisson2d:x10", "expected poisson2d:WxH with sizes of at least 1"},
      {"poisson2d:10X10", "expected poisson2d:WxH with sizes of at least 1"},
      {"poisson2d:10x10x10", "expected poisson2d:WxH with sizes of at least 1"},
      {"poisson2d:10x0", "expected poisson2d:WxH with sizes of at least 1"},
      {"poisson2d:100000x100000", "expected poisson2d:WxH with at most 2147483647 nonzeros"},
      {"poisson2d:2147483647x2147483647", "with at most 2147483647 nonzeros"},
      {"convection2d:10x10",
       "expected convection2d:WxH:PECLET with sizes of at least 1 and a number "},
      {"convection2d:10:5", "expected convection2d:WxH:PECLET with sizes"},
      {"convection2d:10x10:", "expected convection2d:WxH:PECLET with sizes"},
      {"convection2d:10x10:-1", "a number of at least 0, found 'convection2d:10x10:-1'"},
      {"convection2d:10x10:5x", "expected convection2d:WxH:PECLET with sizes"},
      {"convection2d:10x10:inf", "expected convection2d:WxH:PECLET with sizes"},
      {"convection2d:10x10:nan", "expected convection2d:WxH:PECLET with sizes"},
      {"helmholtz2d:100000x100000:1", "helmholtz2d:WxH:WAVES with at most 2147483647 nonzeros"},
      {"jumps2d:10x10:0", "expected jumps2d:WxH:RATIO with a ratio above 0"},
      {"poisson3d:10x10", "expected poisson3d:WxHxD with sizes of at least 1"},
      {"poisson3d:2147483647x2147483647x2147483647", "with at most 2147483647 nonzeros"},
      {"box3d:1000", "expected box3d:N with 1 <= N <= 430, found 'box3d:1000'"},
      {"box3d:2147483647", "expected box3d:N with 1 <= N <= 430"},
      {"like:ecology",
       "one of Muu, crystm02, finan512, cbuckle, ecology2, tmt_sym, thermomech_dM, consph, "
       "crankseg_1, bmwcra_1, hood, BenElechi1, crankseg_2, af_1_k101, found 'like:ecology'"},
      {"like:", "found 'like:'"},
      {"hilbert:5",
       "expected one of trefethen:N, poisson2d:WxH, poisson3d:WxHxD, "
       "neumann2d:WxH, neumann3d:WxHxD, convection2d:WxH:PECLET, helmholtz2d:WxH:WAVES, "
       "anisotropic2d:WxH:WEAK, jumps2d:WxH:RATIO, elasticity2d:NXxNY[:POISSON], "
       "elasticity3d:NXxNYxNZ[:POISSON], box3d:N, like:NAME, found 'hilbert:5'"},
      {"", "found ''"},
  };
  for (const auto& [kind, message] : cases) {
    const std::string said = message_of(kind);
    EXPECT_NE(said.find(message), std::string::npos) << "'" << kind << "' gave: " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

TEST(Generate, NamesTheLargestSizesThatFit) {
  const std::string said = message_of("trefethen:0");
  const auto at = said.find("N <= ") + 5;
  const std::int64_t most = std::stoll(said.substr(at));
  EXPECT_LE(detail::trefethen_nonzeros(most), 2147483647);
  EXPECT_GT(detail::trefethen_nonzeros(most + 1), 2147483647);
  EXPECT_LE(detail::box_nonzeros(430), 2147483647);
  EXPECT_GT(detail::box_nonzeros(431), 2147483647);
}

TEST(Generate, DecidesByTheWordBeforeTheColon) {
  for (const char* kind : {"trefethen:2000", "trefethen:abc", "poisson2d:", "poisson3d:1x1x1",
                           "box3d:3", "like:nothing"})
    EXPECT_TRUE(is_generated(kind)) << kind;
  for (const char* kind : {"", "trefethen", "trefethen_500.mtx", "Trefethen:5", " like:x", ":5",
                           "C:\\trefethen:5", "./like:hood"})
    EXPECT_FALSE(is_generated(kind)) << kind;
}

TEST(Generate, HelpNamesEveryKindAndStandIn) {
  std::string forms;
  for (const auto& [kind, what] : generated_kinds()) {
    EXPECT_FALSE(what.empty());
    EXPECT_TRUE(is_generated(kind)) << kind;
    forms += kind + " ";
  }
  EXPECT_EQ(forms,
            "trefethen:N poisson2d:WxH poisson3d:WxHxD neumann2d:WxH neumann3d:WxHxD "
            "convection2d:WxH:PECLET helmholtz2d:WxH:WAVES anisotropic2d:WxH:WEAK "
            "jumps2d:WxH:RATIO elasticity2d:NXxNY[:POISSON] elasticity3d:NXxNYxNZ[:POISSON] "
            "box3d:N like:NAME ");
  for (const auto& name : stand_ins())
    EXPECT_NE(generated_kinds().back().what.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace dwell
