// SPDX-License-Identifier: MIT
// What device.cpp asks of the CUDA backend. Private to the library.
#pragma once
#include <optional>

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
/// Of the compute capabilities that kernels are compiled for, the greatest that is not above
/// `capability`, whose code runs there; both as 90 for 9.0. 0 if there is none.
int compiled_capability(int capability);

}  // namespace dwell
