// SPDX-License-Identifier: MIT
// How many threads may be asked for. device::cpu() asks this, and so does what starts threads for
// work beside it, such as reading a matrix for a GPU.
#pragma once

namespace dwell {

/// Four for each of the machine's processors: more can only stand in each other's way, and a slip
/// of the finger would otherwise start as many as the system has room for.
int most_threads();

/// Ranks that are threads of one process: as many as threads, within 64 to 512. Each has a table of
/// all others, so that their memory grows faster than their number.
int most_ranks();

/// Throws input_error for less than 0 (0: as many as this process may use) or more than
/// most_threads().
void require_threads(int threads);

}  // namespace dwell
