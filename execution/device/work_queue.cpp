// SPDX-License-Identifier: MIT
// Makes a stream where the caller has none.
#include "dwell/execution/device/work_queue.hpp"

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/cuda_backend.hpp"

namespace dwell {

work_queue::work_queue(const device& where) : where_(where) {
  if (where.on() == backend::cpu || where.stream()) return;
  own_ = make_cuda_stream(where.ordinal());
  where_ = where.on_stream(own_);
}

work_queue::~work_queue() {
  if (own_) release_cuda_stream(own_);
}

void work_queue::finish() const { memory_of(where_.on()).finish(where_); }

}  // namespace dwell
