// SPDX-License-Identifier: MIT
// Messages from the memory of one rank's GPU into that of another's, put into a stream: by NCCL, or
// by way of the hosts and their communicator. Private to the library.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dwell/comm/communicator.hpp"
#include "dwell/comm/gpu_transport.hpp"
#include "dwell/device/device.hpp"

namespace dwell {

/// Messages that are exchanged again and again; a stream is a cudaStream_t.
class device_messages {
 public:
  device_messages() = default;
  device_messages(const device_messages&) = delete;
  device_messages& operator=(const device_messages&) = delete;
  virtual ~device_messages() = default;
  /// Puts them into the stream. from, to: where in the memory of this rank's GPU the outgoing are
  /// and the incoming go to, in the order in which they were prepared.
  virtual void run(std::span<const void* const> from, std::span<void* const> to, void* stream) = 0;
};

/// All ranks make the same calls, in the same order, from one thread each.
class device_transport {
 public:
  device_transport() = default;
  device_transport(const device_transport&) = delete;
  device_transport& operator=(const device_transport&) = delete;
  virtual ~device_transport() = default;

  virtual const char* name() const = 0;  ///< "nccl", "mpi", "host"; of one rank its communicator's
  virtual int size() const = 0;          ///< ranks
  /// May a stream be recording a graph when messages are put into it?
  virtual bool records() const = 0;
  /// Peers and bytes; `data` does not count. The k-th message of rank p to rank q is the k-th one
  /// of q from p, and as long.
  virtual std::unique_ptr<device_messages> messages(std::vector<rank_message> out,
                                                    std::vector<rank_message> in) = 0;
  /// Every rank gives `count` doubles; `all` gets those of all ranks in their order. Both in the
  /// memory of its GPU; `mine` may be its place in `all`.
  virtual void all_gather(const double* mine, int count, double* all, void* stream) = 0;
};

/// Called by all ranks together, each with its GPU; keeps the communicator. Throws, on all ranks,
/// unsupported_error where NCCL is asked for and is not there, or a communicator that takes no
/// memory of GPUs is asked to, device_error where it is asked for
/// and ranks share a GPU, or fails.
std::shared_ptr<device_transport> connect_gpus(std::shared_ptr<communicator> comm,
                                               const device& where, gpu_transport asked);

/// Called by all ranks together. Throws input_error, on all of them, if some are on GPUs and some
/// are not.
void require_one_backend(communicator& comm, const device& where);

}  // namespace dwell
