// SPDX-License-Identifier: MIT
// Ranks: processes, or threads of one process, that solve one problem together and exchange data by
// messages. What moves them is a transport: one rank alone (self), threads of this process, MPI
// (dwell/mpi.hpp).
//
// All ranks make the same calls of a communicator, in the same order; a rank makes them from one
// thread at a time. A rank that fails between two calls leaves the others waiting: see together()
// in agreement.hpp, and give_up().
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "dwell/base/api.hpp"

namespace dwell {

/// Bytes to a rank, or from it. The memory stays the caller's.
struct rank_message {
  int peer = 0;           ///< the other rank, or this one
  void* data = nullptr;   ///< where they are, or go to
  std::size_t bytes = 0;  ///< how many
};

/// Messages that are exchanged again and again, from the same memory and into the same memory.
class DWELL_API message_set {
 public:
  message_set() = default;
  message_set(const message_set&) = delete;
  message_set& operator=(const message_set&) = delete;
  virtual ~message_set() = default;
  /// The outgoing data are there; until finish() neither they nor the incoming may be touched.
  virtual void start() = 0;
  /// Waits until all messages have arrived, and the outgoing data may be changed.
  virtual void finish() = 0;
};

/// What ranks that solve together know each other by: see the head of this file.
class DWELL_API communicator {
 public:
  communicator() = default;
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  virtual ~communicator() = default;

  virtual int rank() const = 0;               ///< 0 to size() - 1
  virtual int size() const = 0;               ///< ranks
  virtual int ranks_here() const = 0;         ///< on this machine, this one among them
  virtual const char* transport() const = 0;  ///< "self", "threads", "mpi"
  /// May messages and gathered values be in the memory of CUDA devices?
  virtual bool takes_gpu_memory() const { return false; }

  /// Every rank gives `bytes` bytes; `all` (size() x bytes) gets them in the order of the ranks.
  /// Throws device_error if the transport fails.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
  /// The k-th message of rank p to rank q is the k-th one of q from p, and as long. At most one
  /// message_set may be between start() and finish().
  virtual std::unique_ptr<message_set> messages(std::vector<rank_message> out,
                                                std::vector<rank_message> in) = 0;
  /// Ends all ranks where one cannot go on: processes end with this exit code, threads by an
  /// exception out of their next call.
  virtual void give_up(int exit_code) noexcept = 0;

  /// Dwell's: what its transport between GPUs keeps as long as these ranks know each other.
  std::shared_ptr<void>& kept() { return kept_; }

 private:
  std::shared_ptr<void> kept_;
};

/// One rank alone.
DWELL_API std::shared_ptr<communicator> self_communicator();

/// Calls f once per rank, each on a thread of its own with a communicator of transport "threads",
/// and returns when all have returned. If one throws, the others end by an exception out of their
/// next call of the communicator, and what the first of them threw is thrown. f must let exceptions
/// that are not derived from std::exception pass.
DWELL_API void run_as_ranks(int ranks, const std::function<void(std::shared_ptr<communicator>)>& f);

}  // namespace dwell
