// SPDX-License-Identifier: MIT
// Words of boundary conditions: they are read as they are written, and what is malformed is refused
// by one line that names it.
#include <gtest/gtest.h>

#include <string>

#include "dwell/base/error.hpp"
#include "dwell/grid/boundary.hpp"

namespace dwell {
namespace {

TEST(GridBoundary, SidesAreReadAsWritten) {
  for (const char* text :
       {"dirichlet 1.5", "neumann -2", "robin 2 0.5", "periodic", "dirichlet 0", "robin 0.25 0"})
    EXPECT_EQ(to_string(parse_grid_side(text)), text);
  EXPECT_EQ(to_string(parse_grid_side("  dirichlet  ")), "dirichlet 0");
  EXPECT_EQ(to_string(parse_grid_side("robin 3")), "robin 3 0");
}

TEST(GridBoundary, AxesAndSides) {
  const grid_boundary b = parse_grid_boundary("x: dirichlet 1, y-: neumann 2, y+: robin 1 3", 2);
  EXPECT_EQ(to_string(b.sides[1][0]), "dirichlet 1");
  EXPECT_EQ(to_string(b.sides[1][1]), "dirichlet 1");
  EXPECT_EQ(to_string(b.sides[0][0]), "neumann 2");
  EXPECT_EQ(to_string(b.sides[0][1]), "robin 1 3");
  EXPECT_EQ(to_string(parse_grid_boundary("periodic", 3).sides[2][1]), "periodic");
  EXPECT_EQ(to_string(parse_grid_boundary("z: periodic", 3).sides[0][1]), "periodic");
}

TEST(GridBoundary, WhatIsMalformedIsRefused) {
  for (const char* text :
       {"", "wall", "dirichlet one", "dirichlet 1 2", "periodic 0", "robin", "robin x",
        "neumann nan", "z: neumann", "x dirichlet: 0", "x: neumann, x+: neumann", "x*: neumann",
        "x: neumann,", ": neumann", "x: periodic 1", "dirichlet inf"})
    EXPECT_THROW(parse_grid_boundary(text, 2), input_error) << text;
}

}  // namespace
}  // namespace dwell
