// SPDX-License-Identifier: MIT
// What an executor has to know of a stage: which nodes it evaluates, which rows of which arrays a
// row of cells reads, and where its outputs go. A new value may be written in place of a field that
// the stage reads at its own cell only and that has no use after it; an output that is another
// field's own cell is that field's memory under another name. So a leapfrog step needs two arrays
// and moves none.
#pragma once
#include <vector>

#include "dwell/stencil/definition.hpp"

namespace dwell {

/// A row that a row of cells reads, and how far beyond both ends of it.
struct row_tap {
  int array;     ///< fields, then coefficients
  int dz, dy;    ///< planes and rows from the row of the cells
  int low = 0;   ///< columns: the least offset, at most 0
  int high = 0;  ///< the greatest one, at least 0
};

/// A field whose new values are computed.
struct computed_output {
  int field;
  int node;
  int in_place_of = -1;  ///< the field whose memory they overwrite; -1: memory that is free
};

/// A field that takes the memory of another one.
struct renamed_output {
  int field;
  int from;
};

struct field_stage {
  std::vector<int> nodes;  ///< that computed outputs need, in the order of the tape
  std::vector<row_tap> rows;
  std::vector<computed_output> computed;
  std::vector<renamed_output> renamed;
  int layers = 0;         ///< along the slowest axis, how far it reads
  int across = 0;         ///< along the next one; 0 where there is none
  int low = 0, high = 0;  ///< columns, as in row_tap

  /// The row of a tap.
  int row_of(const cell_node& tap) const;
};

/// All stages of a tape that is right.
std::vector<field_stage> field_stages(const cell_tape& tape);

}  // namespace dwell
