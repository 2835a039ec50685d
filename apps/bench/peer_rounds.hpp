// SPDX-License-Identifier: MIT
// Grids on several GPUs that meet and add up by flags in each other's memory, and launches that
// bench-peers holds beside them. One peer is one grid, whose blocks run together; all peers run at
// the same time. Launches go to the current device; all of these throw device_error.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

namespace dwell::bench {

inline constexpr int most_peers = 32;  // a lane each
inline constexpr int most_peer_blocks = 8192;
inline constexpr int sum_lanes = 1024;

struct alignas(128) line_flag {
  unsigned value;
};

/// In the memory of a peer's GPU, and zero before a launch. Of what comes in pairs one belongs to
/// even and one to odd rounds: whoever writes that of round r + 2 has met everybody in round r + 1,
/// and they had read that of round r by then.
struct peer_place {
  line_flag arrived;             ///< blocks of this grid, counted and never reset
  line_flag go;                  ///< the last round that all peers have come to
  line_flag flags[most_peers];   ///< written by the peers: the round that each has come to
  double values[2][most_peers];  ///< written by the peers: their parts of a sum
  double result[2];
  double partials[2][most_peer_blocks];
  double sums[most_peer_blocks];  ///< sums of the results of all rounds, as each block had them
  // Fields of sums by launches:
  double mine, reduced, gathered[most_peers], total;
  unsigned launches;
  // Fields of watched rounds, and what went wrong:
  unsigned seen[most_peer_blocks];
  unsigned early, late;
};

/// What a peer knows of the others.
struct peer_view {
  peer_place* places[most_peers];
  int me, peers;
  unsigned long long limit_ns;  ///< limit of a wait
};

/// How a grid that waits for others is launched.
struct peer_launch {
  int blocks, lanes;
  bool cooperative;  ///< not where two run on one GPU: such launches need not run side by side
  cudaStream_t stream;
};

/// A first launch loads its kernel, and that may wait for kernels that are running.
void load_peer_kernels();
/// Blocks that are on a multiprocessor together.
int barrier_blocks_per_unit(int lanes);
int summing_blocks_per_unit();

/// All blocks of all peers meet so often. watched: blocks look whether those of the peers and their
/// own neighbour had come; who had not is counted in `early`.
void run_peer_barriers(const peer_launch& launch, const peer_view& v, int rounds, bool watched);
/// Sums over all peers without leaving the kernel, with sum_lanes lanes. To each peer's part its
/// round is added, so that what is left of another round would be seen.
void sum_with_peers(const peer_launch& launch, const peer_view& v, const double* x, std::size_t n,
                    int rounds);

void launch_nothing(cudaStream_t stream);
/// Values of which every sum in f64 is exact: 0 to 7 in turn, and the number of the peer.
void fill_values(double* x, std::size_t n, int me, cudaStream_t stream);
/// One peer's part of a sum, by one launch; likewise with the number of the launch in it.
void sum_part(peer_place* here, const double* x, std::size_t n, int blocks, double* to,
              cudaStream_t stream);
/// Adds the parts of all peers, in their order, to `total`.
void add_parts(peer_place* here, const double* parts, int count, cudaStream_t stream);

}  // namespace dwell::bench
