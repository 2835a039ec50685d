// SPDX-License-Identifier: MIT
// A divided matrix out of a .dwell file, of which each rank reads its own rows. Part of component
// io.
#pragma once
#include <filesystem>
#include <memory>

#include "dwell/base/api.hpp"
#include "dwell/linear/distribute.hpp"

namespace dwell {

/// Called by all ranks together; all can open the file. Rank r gets the rows that
/// balanced_first_rows() gives it, and reads and verifies the blocks that hold these. threads: as
/// of rows_of_rank(). T: double or float. Throws input_error, on all ranks, if a rank cannot read
/// its part, or as distribute() does.
template <class T = double>
DWELL_API distributed_matrix<T> read_distributed(std::shared_ptr<communicator> comm,
                                                 const std::filesystem::path& file,
                                                 int threads = 0);

}  // namespace dwell
