// SPDX-License-Identifier: MIT
// Each stand-in: a mesh of the real matrix's class, cut to the real matrix's number of rows, and
// the springs on it. README.md has the comparison; test_generators.cpp pins rows, nonzeros and
// bits.
#include "dwell/datasets/stand_ins.hpp"

#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/datasets/meshes.hpp"
#include "dwell/datasets/spring_network.hpp"

namespace dwell::detail {

namespace {

// A mass matrix with two displacements a node.
csr<double> muu(int threads) {
  return assemble(
      copies(bricks({15, 15, 16}, {.ring = true, .dropped = 43}, 0x3d, threads), 2, threads),
      {.seed = 0x3e,
       .rows = 7'102,
       .region = 2 * 15 * 15,
       .contrast = 1,
       .anchor_every = 2,
       .anchor_log2 = 2,
       .ground_log2 = -4},
      threads);
}

// A mass matrix of trilinear bricks, three displacements a node: the structure of the real one.
csr<double> crystm02(int threads) {
  return assemble(copies(bricks({19, 7, 35}, {}, 0, threads), 3, threads),
                  {.seed = 0xc7,
                   .rows = 13'965,
                   .region = 3 * 19 * 7 * 5,
                   .contrast = 1,
                   .anchor_every = 2,
                   .anchor_log2 = 2,
                   .ground_log2 = -4},
                  threads);
}

csr<double> finan512(int threads) {
  return assemble(stages({512, 146, 182, 46}, 0xf1a, threads),
                  {.seed = 0xf1b,
                   .rows = 74'752,
                   .region = 146,
                   .contrast = 3,
                   .anchor_every = 2,
                   .anchor_log2 = 2,
                   .ground_log2 = -12},
                  threads);
}

// A cylindrical shell with six degrees of freedom a node, closed around its axis.
csr<double> cbuckle(int threads) {
  return assemble(bricks({38, 61, 1}, {.ring = true, .dropped = 121}, 0xcb, threads),
                  {.seed = 0xcc,
                   .dofs = 6,
                   .rows = 13'681,
                   .transverse = 1,
                   .region = 38 * 8,
                   .contrast = 3,
                   .anchor_every = 1000,
                   .anchor_log2 = 4,
                   .ground_log2 = -18},
                  threads);
}

// A sheet of shell elements, 160 nodes wide.
csr<double> benelechi1(int threads) {
  return assemble(bricks({160, 257, 1}, {.dropped = 6}, 0xbe, threads),
                  {.seed = 0xbf,
                   .dofs = 6,
                   .rows = 245'874,
                   .transverse = 1,
                   .region = 160 * 20,
                   .contrast = 3,
                   .anchor_every = 400,
                   .anchor_log2 = 4,
                   .ground_log2 = -18},
                  threads);
}

// crankseg_1 with more bearings.
csr<double> crankseg_2(int threads) {
  std::vector<bundle> bundles;
  for (index k = 0; k < 8; ++k) bundles.push_back({400 + 2500 * k, 1080 - 90 * k, false});
  for (index k = 0; k < 16; ++k) bundles.push_back({1000 + 1200 * k, 65 + 10 * k, true});
  return assemble(with_bundles(quadratic_bricks({21, 21, 49}, threads), bundles, threads),
                  {.seed = 0xc4,
                   .dofs = 3,
                   .rows = 63'838,
                   .transverse = 1,
                   .region = 21 * 21 * 3,
                   .contrast = 4,
                   .anchor_every = 4000,
                   .anchor_log2 = 4,
                   .ground_log2 = -18},
                  threads);
}

// Circuit theory on a landscape, 1000 x 1000 cells, one cell grounded (the one that is cut off).
csr<double> ecology2(int threads) {
  return assemble(quadrilaterals(1000, 1000, threads),
                  {.seed = 0xec01,
                   .rows = 999'999,
                   .region = 500,
                   .contrast = 3,
                   .anchor_every = 800,
                   .anchor_log2 = 2,
                   .ground_log2 = -20},
                  threads);
}

csr<double> tmt_sym(int threads) {
  return assemble(triangles(852, 853, 64, 0x7317, threads),
                  {.seed = 0x7318,
                   .rows = 726'713,
                   .region = 852 * 64,
                   .contrast = 2,
                   .anchor_every = 1000,
                   .anchor_log2 = 2,
                   .ground_log2 = -20},
                  threads);
}

csr<double> thermomech_dm(int threads) {
  return assemble(layers({59, 59, 59}, 10, 0x73d0, threads),
                  {.seed = 0x73d1,
                   .rows = 204'316,
                   .region = 59 * 59 * 4,
                   .contrast = 3,
                   .anchor_every = 20,
                   .anchor_log2 = 2,
                   .ground_log2 = -12},
                  threads);
}

// Seven concentric spheres of 64 meridians; the seven nodes along a radius are numbered first.
csr<double> consph(int threads) {
  return assemble(bricks({7, 64, 63}, {.ring = true, .dropped = 6}, 0xc0, threads),
                  {.seed = 0xc1,
                   .dofs = 3,
                   .rows = 83'334,
                   .transverse = 1,
                   .region = 7 * 64 * 8,
                   .contrast = 4,
                   .anchor_every = 2000,
                   .anchor_log2 = 3,
                   .ground_log2 = -16},
                  threads);
}

// A bar of quadratic bricks with bearings: rigid links of some 900 nodes, and condensed patches.
csr<double> crankseg_1(int threads) {
  std::vector<bundle> bundles;
  for (index k = 0; k < 6; ++k) bundles.push_back({500 + 2750 * k, 849 - 100 * k, false});
  for (index k = 0; k < 12; ++k) bundles.push_back({1200 + 1300 * k, 58 + 10 * k, true});
  return assemble(with_bundles(quadratic_bricks({21, 21, 40}, threads), bundles, threads),
                  {.seed = 0xc2,
                   .dofs = 3,
                   .rows = 52'804,
                   .transverse = 1,
                   .region = 21 * 21 * 3,
                   .contrast = 4,
                   .anchor_every = 4000,
                   .anchor_log2 = 4,
                   .ground_log2 = -18},
                  threads);
}

csr<double> bmwcra_1(int threads) {
  std::vector<bundle> bundles;
  for (index k = 0; k < 40; ++k) bundles.push_back({300 + 1200 * k, 60 + 60 * (k % 2), false});
  return assemble(
      with_bundles(bricks({20, 22, 113}, {.dropped = 80}, 0xb0, threads), bundles, threads),
      {.seed = 0xb1,
       .dofs = 3,
       .rows = 148'770,
       .transverse = 1,
       .region = 20 * 22 * 5,
       .contrast = 4,
       .anchor_every = 1000,
       .anchor_log2 = 4,
       .ground_log2 = -18},
      threads);
}

// A sheet, two nodes thick.
csr<double> hood(int threads) {
  return assemble(bricks({2, 160, 230}, {.dropped = 138}, 0xf0, threads),
                  {.seed = 0xf1,
                   .dofs = 3,
                   .rows = 220'542,
                   .transverse = 1,
                   .region = 2 * 160 * 20,
                   .contrast = 3,
                   .anchor_every = 1000,
                   .anchor_log2 = 4,
                   .ground_log2 = -18},
                  threads);
}

// A triangulated shell, 170 nodes wide.
csr<double> af_1_k101(int threads) {
  return assemble(triangles(170, 593, 0, 0, threads),
                  {.seed = 0xaf,
                   .dofs = 5,
                   .rows = 503'625,
                   .transverse = 1,
                   .region = 170 * 40,
                   .contrast = 3,
                   .anchor_every = 200,
                   .anchor_log2 = 4,
                   .ground_log2 = -18},
                  threads);
}

struct recipe {
  std::string_view name;
  csr<double> (*make)(int threads);
};
constexpr recipe recipes[] = {
    {"Muu", muu},
    {"crystm02", crystm02},
    {"finan512", finan512},
    {"cbuckle", cbuckle},
    {"ecology2", ecology2},
    {"tmt_sym", tmt_sym},
    {"thermomech_dM", thermomech_dm},
    {"consph", consph},
    {"crankseg_1", crankseg_1},
    {"bmwcra_1", bmwcra_1},
    {"hood", hood},
    {"BenElechi1", benelechi1},
    {"crankseg_2", crankseg_2},
    {"af_1_k101", af_1_k101},
};

}  // namespace

csr<double> stand_in(std::string_view name, int threads) {
  for (const recipe& r : recipes)
    if (r.name == name) return r.make(threads);
  throw input_error("no stand-in '" + std::string(name) + "'");
}

}  // namespace dwell::detail

namespace dwell {

std::vector<std::string> stand_ins() {
  std::vector<std::string> names;
  for (const auto& r : detail::recipes) names.emplace_back(r.name);
  return names;
}

}  // namespace dwell
