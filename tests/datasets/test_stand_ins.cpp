// SPDX-License-Identifier: MIT
// The stand-ins of like:NAME: sizes, symmetry, definiteness, exactness and bits, and that no
// generated matrix depends on the number of threads.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <ostream>

#include "dwell/datasets/generators.hpp"
#include "dwell/datasets/meshes.hpp"
#include "dwell/datasets/model_problems.hpp"
#include "dwell/datasets/spring_network.hpp"
#include "dwell/datasets/stand_ins.hpp"
#include "oracle.hpp"
#include "place.hpp"

namespace dwell {
namespace {

/// FNV-1a over numbers, so that it does not depend on the byte order either.
std::uint64_t fingerprint(const csr<double>& a) {
  std::uint64_t h = 0xcbf29ce484222325u;
  const auto add = [&h](std::uint64_t v) { h = (h ^ v) * 0x100000001b3u; };
  for (const index v : a.row_ptr) add(static_cast<std::uint64_t>(v));
  for (const index v : a.col) add(static_cast<std::uint64_t>(v));
  for (const double v : a.val) add(std::bit_cast<std::uint64_t>(v));
  return h;
}

bool symmetric_bit_for_bit(const csr<double>& a) {
  std::vector<index> next(a.row_ptr.begin(), a.row_ptr.end() - 1);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const index j = a.col[k], mirror = next[j]++;
      if (mirror >= a.row_ptr[j + 1] || a.col[mirror] != i || a.val[mirror] != a.val[k])
        return false;
    }
  return true;
}

TEST(Generate, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto mesh = [](int threads) {
    return detail::with_bundles(
        detail::bricks({4, 5, 6}, {.ring = true, .dropped = 200}, 7, threads),
        {{10, 30, false}, {50, 12, true}}, threads);
  };
  const std::function<csr<double>(int)> makers[] = {
      [](int t) { return detail::trefethen(1000, t); },
      [](int t) { return detail::poisson(7, 11, 13, 6, t); },
      [](int t) { return detail::box(11, t); },
      [](int t) { return detail::poisson(1, 1, 1, 4, t); },
      [&](int t) { return detail::assemble(mesh(t), {.dofs = 3, .rows = 350, .contrast = 3}, t); },
      [](int t) { return detail::stand_in("thermomech_dM", t); },
      [](int t) { return detail::stand_in("crankseg_1", t); },
      [](int t) { return detail::stand_in("finan512", t); },
      [](int t) { return detail::stand_in("crystm02", t); },
  };
  for (const auto& make : makers) {
    const auto one = fingerprint(make(1));
    for (const int threads : {2, 3, 7}) EXPECT_EQ(fingerprint(make(threads)), one);
  }
}

TEST(SpringNetwork, IsDefiniteAndExact) {
  const auto mesh = detail::with_bundles(detail::bricks({3, 4, 5}, {.dropped = 100}, 3, 1),
                                         {{5, 20, false}, {30, 8, true}}, 1);
  for (const int dofs : {1, 3, 5, 8})
    for (const index cut : {0, 1, dofs + 1}) {
      SCOPED_TRACE(dofs);
      const index n = mesh.nodes * dofs - cut;
      const auto a = detail::assemble(mesh,
                                      {.seed = 5,
                                       .dofs = dofs,
                                       .rows = n,
                                       .transverse = 1,
                                       .region = 7,
                                       .contrast = 3,
                                       .anchor_every = 20,
                                       .ground_log2 = -8},
                                      2);
      check(a.view());
      EXPECT_TRUE(symmetric_bit_for_bit(a));
      // Half of what the springs to the ground alone hold: the rest is definite still.
      EXPECT_TRUE(test::is_definite(a, 0.5 * std::ldexp(1.0, -8)));
    }
}

struct pinned {
  std::string name;
  index rows, nonzeros, longest;
  std::uint64_t bits;
};
void PrintTo(const pinned& p, std::ostream* out) { *out << p.name; }

class StandIn : public testing::TestWithParam<pinned> {};

TEST_P(StandIn, IsWhatTheReadmeSays) {
  if (test::races_only) GTEST_SKIP() << "the threads are those of the test of the same bits";
  const auto& p = GetParam();
  const auto a = generate("like:" + p.name);
  EXPECT_EQ(a.rows, p.rows);
  EXPECT_EQ(a.cols, p.rows);
  EXPECT_EQ(a.nonzeros(), p.nonzeros);
  check(a.view());
  EXPECT_TRUE(symmetric_bit_for_bit(a));
  index longest = 0, inexact = 0, zeros = 0, no_diagonal = 0;
  for (index i = 0; i < a.rows; ++i) {
    longest = std::max(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
    bool diagonal = false;
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      diagonal |= a.col[k] == i && a.val[k] > 0;
      zeros += a.val[k] == 0;
      // The proof of definiteness needs integers below 2^53 times one power of two.
      const double units = std::abs(std::ldexp(a.val[k], 24));
      inexact += units != std::floor(units) || units >= std::ldexp(1.0, 53);
    }
    no_diagonal += !diagonal;
  }
  EXPECT_EQ(longest, p.longest);
  EXPECT_EQ(inexact, 0);
  EXPECT_EQ(zeros, 0);
  EXPECT_EQ(no_diagonal, 0);
  EXPECT_EQ(fingerprint(a), p.bits) << std::hex << fingerprint(a);
}

INSTANTIATE_TEST_SUITE_P(
    All, StandIn,
    testing::Values(pinned{"Muu", 7'102, 170'094, 27, 0x380c29654d2c59cb},
                    pinned{"crystm02", 13'965, 322'905, 27, 0x72d09c7d937ca356},
                    pinned{"finan512", 74'752, 596'950, 56, 0x5ec0edef2e0f752d},
                    pinned{"cbuckle", 13'681, 676'621, 54, 0x8b9b59458e7ea4b4},
                    pinned{"BenElechi1", 245'874, 13'151'412, 54, 0xabb5129da06bd8f5},
                    pinned{"crankseg_2", 63'838, 14'146'918, 3390, 0x7e365a6e00d33c03},
                    pinned{"ecology2", 999'999, 4'995'995, 5, 0xb738e8a479891186},
                    pinned{"tmt_sym", 726'713, 5'080'173, 9, 0x71462a9dd0a0eace},
                    pinned{"thermomech_dM", 204'316, 1'423'108, 13, 0x192dddfddf43722b},
                    pinned{"consph", 83'334, 6'015'636, 81, 0xf74f94f694c3493f},
                    pinned{"crankseg_1", 52'804, 10'611'340, 2691, 0x748f55b0de66b97d},
                    pinned{"bmwcra_1", 148'770, 10'643'634, 396, 0x8696e1440e4d97c5},
                    pinned{"hood", 220'542, 10'777'536, 54, 0x4adf6e3680f43b5b},
                    pinned{"af_1_k101", 503'625, 17'550'625, 35, 0x67df2187f7073eba}),
    [](const auto& info) { return info.param.name; });

TEST(StandIns, AreAllPinned) { EXPECT_EQ(stand_ins().size(), 14u); }

}  // namespace
}  // namespace dwell
