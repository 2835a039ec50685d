// SPDX-License-Identifier: MIT
// The CUDA backend: what the library asks of CUDA devices, and tables of the functions by which its
// parts work there. A part that has code for GPUs besides the kernels of its executors declares a
// struct of function pointers, in the header that both of its files read, and the file that nvcc
// compiles defines cuda_backend() for it. A build without CUDA has no_cuda.cpp instead, for all
// parts. Private to the library.
#pragma once
#include <cstdint>
#include <optional>

#include "dwell/base/complex_value.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/buffer.hpp"

namespace dwell {

device_facts cuda_facts(int ordinal);
const memory_space& cuda_memory();
/// Would a load from there fail on the host? Makes no CUDA context.
bool is_device_memory(const void* p);
/// The CUDA device in whose memory it is, managed memory included; nothing for other memory.
std::optional<int> device_of_memory(const void* p);
/// The device's memory, of buffers that are and will be, may be read and written by the other
/// devices of this process that can reach it.
void open_memory_to_peers(int ordinal);
/// A stream of its own, which waits for no other.
void* make_cuda_stream(int ordinal);
void release_cuda_stream(void* stream) noexcept;
/// Creates the CUDA context if this process has none on the device yet. Returns the seconds that it
/// took: 0 where the context was there.
double start_cuda(int ordinal);
/// The greatest of the compute capabilities that kernels are compiled for which is not above
/// `capability`: its code runs there. Both as 90 for 9.0. 0 if there is none.
int compiled_capability(int capability);
/// Not even the small kernels that every run launches are compiled ahead.
bool needs_nvrtc();

/// The functions of one part. Throws device_error in a build without CUDA.
template <class Table>
const Table& cuda_backend();

// All tables, of which this folder knows the names:

struct halo_functions;  // execution/comm/device_halo.hpp
template <>
const halo_functions& cuda_backend();

template <class T>
struct cut_functions;  // execution/krylov/spmv/cutting.hpp
template <>
const cut_functions<double>& cuda_backend();
template <>
const cut_functions<float>& cuda_backend();
template <>
const cut_functions<complex_value<double>>& cuda_backend();
template <>
const cut_functions<complex_value<float>>& cuda_backend();

struct chain_functions;  // execution/krylov/products/sequence_shares.hpp
template <>
const chain_functions& cuda_backend();

template <class T>
struct examine_functions;  // solvers/linear/check/validating.hpp
template <>
const examine_functions<double>& cuda_backend();
template <>
const examine_functions<float>& cuda_backend();

template <class T>
struct solve_steps;  // solvers/linear/run/solve_steps.hpp
template <>
const solve_steps<double>& cuda_backend();
template <>
const solve_steps<float>& cuda_backend();

struct mixed_steps;  // solvers/linear/mixed/mixed_steps.hpp
template <>
const mixed_steps& cuda_backend();

template <class T>
struct batch_steps;  // solvers/linear/batch/batch_steps.hpp
template <>
const batch_steps<double>& cuda_backend();
template <>
const batch_steps<float>& cuda_backend();

template <class T>
struct chain_set_ups;  // solvers/preconditioners/sequences/set_up_table.hpp
template <>
const chain_set_ups<double>& cuda_backend();
template <>
const chain_set_ups<float>& cuda_backend();

template <class T>
struct complex_set_ups;  // the same
template <>
const complex_set_ups<complex_value<double>>& cuda_backend();
template <>
const complex_set_ups<complex_value<float>>& cuda_backend();

template <class T>
struct amg_set_up;  // solvers/preconditioners/amg/host_parts.hpp
template <>
const amg_set_up<double>& cuda_backend();
template <>
const amg_set_up<float>& cuda_backend();

template <class T>
struct product_functions;  // solvers/spmv/product_steps.hpp
template <>
const product_functions<double>& cuda_backend();
template <>
const product_functions<float>& cuda_backend();

struct convolution_functions;  // solvers/arrays/convolution/gpu_passes.hpp
template <>
const convolution_functions& cuda_backend();

struct reduce_results;  // solvers/arrays/reduce/reduce_runs.hpp
template <class T>
struct reduce_functions;
template <>
const reduce_results& cuda_backend();
template <>
const reduce_functions<double>& cuda_backend();
template <>
const reduce_functions<float>& cuda_backend();

template <class T>
struct scan_functions;  // solvers/arrays/scan/scan_runs.hpp
template <class T>
struct table_functions;
template <>
const scan_functions<double>& cuda_backend();
template <>
const scan_functions<float>& cuda_backend();
template <>
const scan_functions<std::int32_t>& cuda_backend();
template <>
const scan_functions<std::int64_t>& cuda_backend();
template <>
const table_functions<double>& cuda_backend();
template <>
const table_functions<float>& cuda_backend();

}  // namespace dwell
