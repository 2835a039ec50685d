// SPDX-License-Identifier: MIT
// Vectors that are divided among ranks (halo.hpp) in the memory of their GPUs, and what a rank's
// teams leave for other ranks. All of it is put into streams, cudaStream_t.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dwell/comm/halo.hpp"
#include "dwell/execution/comm/device_transport.hpp"
#include "dwell/execution/comm/halo_packing.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/cuda_backend.hpp"

namespace dwell {

/// The UUID of a GPU.
using gpu_identity = std::array<unsigned char, 16>;

/// What the CUDA backend does for halos.
struct halo_functions {
  void (*leave)(const device&, std::span<const halo_packing>, const team_sums&, void* stream);
  gpu_identity (*identity)(const device&);
};

/// One launch does all; at most most_packings.
inline void leave_for_ranks(const device& where, std::span<const halo_packing> packings,
                            const team_sums& sums, void* stream) {
  cuda_backend<halo_functions>().leave(where, packings, sums, stream);
}

/// The exchange of the ghosts of one vector, to be made again and again.
class device_halo {
 public:
  /// Made by all ranks together. `vector`: own + ghosts elements of `element_bytes` bytes each (4,
  /// 8, 16, 32 or 64); it and the transport must stay.
  device_halo(const device& where, device_transport& by, const halo_pattern& pattern, void* vector,
              std::size_t element_bytes);
  const halo_packing& packing() const { return packing_; }
  /// The outgoing elements are packed: sends them; what follows in the stream finds the ghosts.
  void send(void* stream) { messages_->run(from_, to_, stream); }
  /// Packs them, too.
  void run(void* stream) {
    leave_for_ranks(where_, {&packing_, 1}, {}, stream);
    send(stream);
  }

 private:
  device where_;
  buffer<index> elements_;
  buffer<std::byte> outgoing_;
  halo_packing packing_;
  std::vector<const void*> from_;
  std::vector<void*> to_;
  std::unique_ptr<device_messages> messages_;
};

}  // namespace dwell
