// SPDX-License-Identifier: MIT
// Accesses of shared memory that a cell takes in a step of temporal blocking, for the stencils of
// Zhang 2023, table 5.3 (EBISU 2023, table 2).
#pragma once
#include <span>
#include <string_view>

namespace dwell::model {

struct shared_accesses {
  std::string_view stencil;  ///< by our name
  int flops;                 ///< work of a cell and step, as the table counts
  double plain;              ///< without redundant register streaming: a load of each tap, a store
  double streamed;           ///< with it
};

inline constexpr shared_accesses shared_accesses_of_stencils[] = {
    {"2d5pt", 10, 6, 4},     {"2ds9pt", 18, 10, 6},   {"2d9pt", 18, 10, 4},
    {"2d25pt", 25, 26, 6},   {"3d7pt", 14, 8, 4.5},   {"3d13pt", 26, 14, 7},
    {"3d17pt", 34, 18, 5.5}, {"3d27pt", 54, 28, 5.5}, {"poisson", 38, 20, 5.5}};

}  // namespace dwell::model
