// SPDX-License-Identifier: MIT
// Vectors that are divided among ranks: each has its own elements and, behind them, ghosts, copies
// of elements of others.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "dwell/base/index.hpp"
#include "dwell/comm/communicator.hpp"

namespace dwell {

/// Which elements a rank sends and gets. A peer is in a list at most once.
struct halo_pattern {
  /// Part of a list of elements that concerns one other rank.
  struct part {
    int peer = 0;     ///< that rank
    index first = 0;  ///< place in the list
    index count = 0;  ///< elements
  };
  index own = 0;                ///< elements of this rank
  index ghosts = 0;             ///< behind them
  std::vector<index> elements;  ///< own ones that others have as ghosts, peer by peer
  std::vector<part> sends;      ///< pieces of `elements`
  std::vector<part> receives;   ///< pieces of the ghosts, from 0 on
  /// Elements whose own computation reads no ghosts: the first of a run, as long as there is.
  index interior_begin = 0;
  index interior_end = 0;  ///< before this one the run ends
};

/// The exchange of the ghosts of one vector in the host's memory, to be made again and again.
class halo_exchange {
 public:
  /// Made by all ranks together. `vector`: own + ghosts elements of `element_bytes` bytes each (4,
  /// 8, 16, 32 or 64); it and the pattern must stay.
  halo_exchange(communicator& comm, const halo_pattern& pattern, void* vector,
                std::size_t element_bytes);
  /// The own elements that others have as ghosts are written; sends them.
  void start();
  /// The ghosts are there.
  void finish() { messages_->finish(); }
  /// Both.
  void run() { start(), finish(); }

 private:
  const halo_pattern& pattern_;
  const std::byte* vector_;
  std::size_t element_bytes_;
  std::vector<std::byte> outgoing_;
  std::unique_ptr<message_set> messages_;
};

class device_transport;

/// The ranks among which the rows of a matrix are divided, as solvers see them. Columns of a rank's
/// rows are numbered by its own elements, then by its ghosts.
struct row_ranks {
  communicator* comm = nullptr;        ///< the ranks
  device_transport* gpus = nullptr;    ///< between their GPUs; null on a CPU
  const halo_pattern* halo = nullptr;  ///< pattern of vectors that are divided as the rows are
  double all_rows = 0;                 ///< rows of all ranks
};

}  // namespace dwell
