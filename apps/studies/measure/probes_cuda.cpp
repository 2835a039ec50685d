// SPDX-License-Identifier: MIT
// The list of probes of GPUs, in the order of the table. They are the functions measure_NAME() of
// measure/cuda, which builds with CUDA have.
#include "studies/measure/probe.hpp"

namespace dwell::app {

// A line for each probe: group, function, name, help.
#define DWELL_EACH_CUDA_PROBE(DO)                                                                \
  DO(sync, stream_launch, "launch, stream", "kernels one after the other, less their work")      \
  DO(sync, graph_launch, "launch, graph", "the same as nodes of a CUDA graph")                   \
  DO(sync, cooperative_launch, "launch, cooperative", "launches whose blocks may meet")          \
  DO(sync, cluster_launch, "launch, cluster", "launches of clusters of two blocks")              \
  DO(sync, dependent_launch, "launch, dependent", "programmatic dependent launches")             \
  DO(sync, launch_and_wait, "launch and wait", "of nothing, by each kind of launch")             \
  DO(sync, warp_barrier, "warp barrier", "bar.warp.sync of a warp")                              \
  DO(sync, tile_barrier, "tile barrier", "of tiles of 1 to 32 threads, cooperative groups")      \
  DO(sync, coalesced_barrier, "coalesced barrier", "of coalesced groups of 1 to 32 threads")     \
  DO(sync, shuffle, "shuffle", "32 and 64 bits from another lane")                               \
  DO(sync, coalesced_shuffle, "coalesced shuffle", "the same in coalesced groups")               \
  DO(sync, redux, "redux", "sum of 32-bit integers over a warp, by one instruction")             \
  DO(sync, warp_sum, "warp sum f64", "five shuffles and additions")                              \
  DO(sync, block_barrier, "block barrier", "__syncthreads(), by threads of the block")           \
  DO(sync, block_barrier_throughput, block_throughput,                                           \
     "warps that meet per second, by blocks of a multiprocessor and threads")                    \
  DO(sync, named_barrier, "named barrier", "of some threads of a block of 1024")                 \
  DO(sync, mbarrier, "mbarrier", "arrive and wait in shared memory, by threads")                 \
  DO(sync, cluster_barrier, "cluster barrier", "of a cluster of 2 to 16 blocks")                 \
  DO(sync, dwell_cluster_barrier, "dwell cluster barrier", "that of Dwell's GPU teams")          \
  DO(sync, relaxed_cluster_barrier, "cluster barrier, relaxed", "that orders no accesses")       \
  DO(sync, cooperative_grid_barrier, "cooperative grid barrier",                                 \
     "grid.sync(), by blocks of a multiprocessor and their threads")                             \
  DO(sync, dwell_grid_barrier, "dwell grid barrier", "that of Dwell's GPU teams, likewise")      \
  DO(sync, ring_flags, "neighbour flags", "flags between neighbouring blocks in a ring")         \
  DO(memory, cuda_read, "read", "bandwidth of reading through L2, by footprint")                 \
  DO(memory, cuda_copy, "copy", "of copying (bytes read and written), by footprint")             \
  DO(memory, l1_read, "read through L1", "of reading what the multiprocessors' caches may hold") \
  DO(memory, shared_read, "shared read", "of reading shared memory")                             \
  DO(memory, shared_copy, "shared copy", "of copying within shared memory")                      \
  DO(latency, cuda_load, "load", "a load that depends on the one before, by footprint")          \
  DO(latency, shared_load, "shared load", "the same from shared memory")                         \
  DO(latency, distributed_shared_load, "distributed shared load",                                \
     "from that of another block of a cluster")                                                  \
  DO(arithmetic, cycles, "cycles", "the clock of the multiprocessors")                           \
  DO(arithmetic, fma_f64_latency, "fma f64 latency", "fused multiply-adds, one after the other") \
  DO(arithmetic, fma_f32_latency, "fma f32 latency", "the same in f32")                          \
  DO(arithmetic, fma_f64, "fma f64", "of one multiprocessor and of all")                         \
  DO(arithmetic, fma_f32, "fma f32", "the same in f32")                                          \
  DO(arithmetic, fma_f64_under_way, "fma f64, under way",                                        \
     "by threads of a multiprocessor and independent ones of a thread")                          \
  DO(arithmetic, fma_f32_under_way, "fma f32, under way", "the same in f32")                     \
  DO(concurrency, plain_read, "plain read",                                                      \
     "bandwidth by threads, independent loads of a thread, their bytes")                         \
  DO(concurrency, plain_read_of_l2, "plain read, L2", "the same of what L2 holds")               \
  DO(concurrency, shared_read_under_way, "plain read, shared", "the same of shared memory")      \
  DO(concurrency, plain_copy, "plain copy", "bandwidth of copying, likewise")                    \
  DO(concurrency, asynchronous_copy, "asynchronous copy", "by cp.async through shared memory")   \
  DO(concurrency, bulk_copy, "bulk copy", "by chunks through shared memory, of one thread")      \
  DO(reductions, reduce_warp, "sum of 32",                                                       \
     "doubles by one warp: by one thread, in shared memory, by shuffles")                        \
  DO(reductions, reduce_block, "sum in a block", "of shared memory, by threads and size")        \
  DO(reductions, reduce_dwell, "sum, dwell", "of a whole array by dwell::reducer, by size")      \
  DO(reductions, reduce_awaited, "sum, dwell, awaited", "the same, each result waited for")      \
  DO(reductions, reduce_cub, "sum, CUB", "by cub::DeviceReduce")                                 \
  DO(reductions, reduce_thrust, "sum, Thrust", "by thrust::reduce, which waits for each")        \
  DO(reductions, reduce_two_launches, "sum, two launches", "whose end is where blocks meet")     \
  DO(reductions, reduce_graph, "sum, graph", "the same two as a CUDA graph")                     \
  DO(reductions, reduce_grid_barrier, "sum, grid barrier", "one launch whose blocks meet")       \
  DO(reductions, reduce_cluster, "sum, cluster", "by the blocks of one cluster")                 \
  DO(divergence, divergent_barriers, "divergent barriers",                                       \
     "does a barrier hold lanes that come to it by branches of their own")                       \
  DO(divergence, partial_barriers, "partial barriers",                                           \
     "what it does where only a part of those meet that it is for")

#if DWELL_HAS_CUDA_PROBES
#define DWELL_DECLARE_CUDA_PROBE(group, function, name, about) \
  void measure_##function(measuring& m);
#define DWELL_CUDA_RUN(function) measure_##function
DWELL_EACH_CUDA_PROBE(DWELL_DECLARE_CUDA_PROBE)
#else
#define DWELL_CUDA_RUN(function) nullptr
#endif

#define DWELL_CUDA_PROBE(group, function, name, about) \
  probe{#group, name, about, backend::cuda, DWELL_CUDA_RUN(function)},

std::span<const probe> cuda_probes() {
  static const probe all[] = {DWELL_EACH_CUDA_PROBE(DWELL_CUDA_PROBE)};
  return all;
}

}  // namespace dwell::app
