// SPDX-License-Identifier: MIT
// The macros that let one source be compiled by a host compiler and by nvcc.
// Nothing here selects behaviour.
#pragma once

#if defined(__CUDACC__)
/// Runs inside an executor: on the device under nvcc, on the host elsewhere.
#define DWELL_FN __device__ __forceinline__
/// Runs on both sides.
#define DWELL_HD __host__ __device__ __forceinline__
#define DWELL_UNROLL _Pragma("unroll")
/// Runs on the device, and is one copy of code: where a kernel has many callers, or much of it.
#define DWELL_APART __device__ __noinline__
#define DWELL_ROLLED _Pragma("unroll 1")
/// p is in the device's memory: so loads need not find out where it is.
#define DWELL_IN_MEMORY(p) __builtin_assume(__isGlobal(p))
#else
#define DWELL_FN inline
#define DWELL_HD inline
#define DWELL_UNROLL
#define DWELL_APART inline
#define DWELL_ROLLED
#define DWELL_IN_MEMORY(p) static_cast<void>(p)
#endif
