// SPDX-License-Identifier: MIT
// Memory of CUDA devices: stream-ordered allocations from a pool that keeps what it got for the
// next allocation, and copies. Large uploads from pageable memory go through pinned pieces that
// several threads fill while earlier ones travel.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/current_device_cuda.hpp"

namespace dwell {
namespace {

using cuda::check;

cudaStream_t stream_of(const device& where) { return static_cast<cudaStream_t>(where.stream()); }

/// What goes to the default stream must be done when the call returns: the streams of runs do not
/// wait for it.
void finish_default_stream(const device& where) {
  if (!where.stream()) DWELL_CUDA(cudaStreamSynchronize(cudaStreamLegacy));
}

/// One pool for each device, for the life of the process. It keeps up to an eighth of the device's
/// memory when nothing of it is in use. Null where the device has no pools.
cudaMemPool_t pool_of(int ordinal) {
  static auto& guard = *new std::mutex;  // never destroyed: memory is released after statics are
  static auto& pools = *new std::map<int, cudaMemPool_t>;
  const std::lock_guard lock(guard);
  if (const auto known = pools.find(ordinal); known != pools.end()) return known->second;
  cudaMemPool_t pool = nullptr;
  int has_pools = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, ordinal));
  if (has_pools) {
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = ordinal;
    DWELL_CUDA(cudaMemPoolCreate(&pool, &props));
    std::size_t free = 0, total = 0;
    DWELL_CUDA(cudaMemGetInfo(&free, &total));
    std::uint64_t keep = total / 8;
    DWELL_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  }
  return pools[ordinal] = pool;
}

/// Bytes that the pool keeps and nobody uses.
std::size_t kept_by(cudaMemPool_t pool) {
  if (!pool) return 0;
  std::uint64_t reserved = 0, used = 0;
  DWELL_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  DWELL_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  return static_cast<std::size_t>(reserved - used);
}

[[noreturn]] void refuse(const device& where, std::size_t bytes, cudaMemPool_t pool) {
  std::size_t free = 0, total = 0;
  DWELL_CUDA(cudaMemGetInfo(&free, &total));
  free += kept_by(pool);
  throw device_error(fmt::format(
      "not enough memory on CUDA device {}: {:.1f} MB more are needed, {:.1f} of {:.1f} MB are "
      "free",
      where.ordinal(), static_cast<double>(bytes) * 1e-6, static_cast<double>(free) * 1e-6,
      static_cast<double>(total) * 1e-6));
}

cudaError_t try_allocate(void** p, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return pool ? cudaMallocFromPoolAsync(p, bytes, pool, stream) : cudaMalloc(p, bytes);
}

/// pool: null for memory of cudaMalloc.
void* allocate_from(cudaMemPool_t pool, const device& where, std::size_t bytes, fresh content) {
  bytes = std::max<std::size_t>(bytes, 1);
  void* p = nullptr;
  cudaError_t status = try_allocate(&p, bytes, pool, stream_of(where));
  if (status == cudaErrorMemoryAllocation && pool) {  // pieces that are freed may be too small
    cudaGetLastError();
    DWELL_CUDA(cudaDeviceSynchronize());
    DWELL_CUDA(cudaMemPoolTrimTo(pool, 0));
    status = try_allocate(&p, bytes, pool, stream_of(where));
  }
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    refuse(where, bytes, pool);
  }
  check(status, "allocating memory");
  if (content == fresh::zeroed) DWELL_CUDA(cudaMemsetAsync(p, 0, bytes, stream_of(where)));
  finish_default_stream(where);
  return p;
}
void* allocate(const device& where, std::size_t bytes, fresh content) {
  const cuda::current_device here(where.ordinal());
  return allocate_from(pool_of(where.ordinal()), where, bytes, content);
}
void* allocate_for_processes(const device& where, std::size_t bytes) {
  const cuda::current_device here(where.ordinal());
  return allocate_from(nullptr, where, bytes, fresh::unset);
}

/// By destructors, perhaps when the runtime is gone.
void release(const device& where, void* p) {
  const cuda::current_device here(where.ordinal(), std::nothrow);
  if (!pool_of(where.ordinal()))
    cudaFree(p);
  else
    cudaFreeAsync(p, stream_of(where));
}

/// Pinned pieces of the host's memory, made at the first large upload and kept.
class staging {
 public:
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  static constexpr int most_threads = 4, per_thread = 2;

  static staging& of_process() {
    static staging* const all = new staging;  // the runtime may be gone before statics are
    return *all;
  }

  /// In pieces; returns when `from` may be changed.
  void upload(const device& where, char* to, const char* from, std::size_t bytes) {
    const std::lock_guard lock(guard_);
    if (!memory_) {
      void* made = nullptr;
      DWELL_CUDA(
          cudaHostAlloc(&made, piece_bytes * most_threads * per_thread, cudaHostAllocPortable));
      memory_ = static_cast<char*>(made);
    }
    const std::size_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
    const int threads = std::min(most_threads, default_threads());
    for_parts(threads, [&](int t) {
      const cuda::current_device here(where.ordinal());
      std::array<cuda::event, per_thread> gone;
      for (cuda::event& e : gone)
        DWELL_CUDA(cudaEventCreateWithFlags(e.out(), cudaEventDisableTiming));
      int turn = 0;
      for (std::size_t k = static_cast<std::size_t>(t); k < pieces;
           k += static_cast<std::size_t>(threads), turn = (turn + 1) % per_thread) {
        const std::size_t at = k * piece_bytes, length = std::min(piece_bytes, bytes - at);
        char* const piece = memory_ + static_cast<std::size_t>(t * per_thread + turn) * piece_bytes;
        DWELL_CUDA(cudaEventSynchronize(gone[static_cast<std::size_t>(turn)]));
        std::memcpy(piece, from + at, length);
        DWELL_CUDA(
            cudaMemcpyAsync(to + at, piece, length, cudaMemcpyHostToDevice, stream_of(where)));
        DWELL_CUDA(cudaEventRecord(gone[static_cast<std::size_t>(turn)], stream_of(where)));
      }
      for (const cuda::event& e : gone) DWELL_CUDA(cudaEventSynchronize(e));
    });
  }

 private:
  std::mutex guard_;
  char* memory_ = nullptr;
};

bool is_pageable(const void* p) {
  cudaPointerAttributes a{};
  DWELL_CUDA(cudaPointerGetAttributes(&a, p));
  return a.type == cudaMemoryTypeUnregistered;
}

void upload(const device& where, void* to, const void* from, std::size_t bytes) {
  // Under a few megabytes the driver's own way is as fast as threads that must be started.
  constexpr std::size_t large = std::size_t{4} << 20;
  const cuda::current_device here(where.ordinal());
  if (bytes >= large && is_pageable(from))
    staging::of_process().upload(where, static_cast<char*>(to), static_cast<const char*>(from),
                                 bytes);
  else
    DWELL_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_of(where)));
  finish_default_stream(where);
}

void download(const device& where, void* to, const void* from, std::size_t bytes) {
  const cuda::current_device here(where.ordinal());
  DWELL_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_of(where)));
  DWELL_CUDA(cudaStreamSynchronize(stream_of(where)));
}

/// A single copy takes pitches of less than 2 GiB.
void copy_box(const device& where, const box_copy& c, cudaMemcpyKind kind) {
  const cuda::current_device here(where.ordinal());
  const cudaStream_t stream = stream_of(where);
  if (std::max(c.to_pitch, c.from_pitch) > std::size_t{1} << 30) {
    for (std::size_t p = 0; p < c.planes; ++p)
      for (std::size_t r = 0; r < c.rows; ++r)
        DWELL_CUDA(cudaMemcpyAsync(
            static_cast<char*>(c.to) + (p * c.to_plane_rows + r) * c.to_pitch,
            static_cast<const char*>(c.from) + (p * c.from_plane_rows + r) * c.from_pitch, c.bytes,
            kind, stream));
  } else if (c.planes == 1) {
    DWELL_CUDA(
        cudaMemcpy2DAsync(c.to, c.to_pitch, c.from, c.from_pitch, c.bytes, c.rows, kind, stream));
  } else {
    cudaMemcpy3DParms p{};
    p.dstPtr = {c.to, c.to_pitch, c.bytes, c.to_plane_rows};
    p.srcPtr = {const_cast<void*>(c.from), c.from_pitch, c.bytes, c.from_plane_rows};
    p.extent = {c.bytes, c.rows, c.planes};
    p.kind = kind;
    DWELL_CUDA(cudaMemcpy3DAsync(&p, stream));
  }
}

void finish(const device& where) {
  const cuda::current_device here(where.ordinal());
  DWELL_CUDA(cudaStreamSynchronize(stream_of(where)));
}

const memory_space space = {
    allocate,
    allocate_for_processes,
    release,
    upload,
    download,
    [](const device& where, const box_copy& c) {
      copy_box(where, c, cudaMemcpyHostToDevice);
      finish_default_stream(where);
    },
    [](const device& where, const box_copy& c) {
      copy_box(where, c, cudaMemcpyDeviceToHost);
      finish(where);
    },
    [](const device& where, void* to, const void* from, std::size_t bytes) {
      const cuda::current_device here(where.ordinal());
      DWELL_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_of(where)));
      finish_default_stream(where);
    },
    [](const device& where, const box_copy& c) {
      copy_box(where, c, cudaMemcpyDeviceToDevice);
      finish_default_stream(where);
    },
    finish,
    false};

}  // namespace

const memory_space& cuda_memory() { return space; }

void open_memory_to_peers(int ordinal) {
  const cudaMemPool_t pool = pool_of(ordinal);
  if (!pool) return;
  int devices = 0;
  DWELL_CUDA(cudaGetDeviceCount(&devices));
  for (int peer = 0; peer < devices; ++peer) {
    int can = 0;
    if (peer != ordinal) DWELL_CUDA(cudaDeviceCanAccessPeer(&can, peer, ordinal));
    if (!can) continue;
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = peer;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    DWELL_CUDA(cudaMemPoolSetAccess(pool, &access, 1));
  }
}

}  // namespace dwell
