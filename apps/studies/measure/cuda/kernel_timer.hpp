// SPDX-License-Identifier: MIT
// Launches the kernels of probes and times them: by events around a launch, and by the spans that
// its blocks write (span_clock.cuh).
#pragma once
#include <cuda_runtime.h>

#include <utility>
#include <vector>

#include "studies/measure/cuda/span_clock.cuh"
#include "studies/measure/probe.hpp"

#include "dwell/execution/device/cuda_check.hpp"

namespace dwell::app::gpu {

/// Memory of the GPU that goes away with the object.
template <class T>
class gpu_array {
 public:
  explicit gpu_array(std::size_t n) : n_(n) { DWELL_CUDA(cudaMalloc(&data_, n * sizeof(T))); }
  ~gpu_array() { cudaFree(data_); }
  gpu_array(const gpu_array&) = delete;
  gpu_array& operator=(const gpu_array&) = delete;
  T* data() const { return data_; }
  std::size_t size() const { return n_; }
  // Both have ended when they return: streams of timers do not wait for the default one.
  void clear() const {
    DWELL_CUDA(cudaMemset(data_, 0, n_ * sizeof(T)));
    DWELL_CUDA(cudaDeviceSynchronize());
  }
  void fill(const T* from) const {
    DWELL_CUDA(cudaMemcpy(data_, from, n_ * sizeof(T), cudaMemcpyHostToDevice));
    DWELL_CUDA(cudaDeviceSynchronize());
  }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

/// How a kernel is launched.
struct launch_shape {
  int blocks = 1, threads = 32;
  std::size_t shared_bytes = 0;
  bool cooperative = false;
  int cluster = 0;         ///< blocks of a cluster; 0: none
  bool dependent = false;  ///< may begin before the launch before it has ended
};

/// A kernel with its launch shape, ready to be launched any number of times.
template <class... Params>
class launcher {
 public:
  launcher(void (*kernel)(Params...), const launch_shape& shape) : kernel_(kernel), shape_(shape) {
    if (shape.shared_bytes > 0)
      DWELL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(shape.shared_bytes)));
    if (shape.cluster > 8)
      DWELL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }

  template <class... Args>
  void operator()(cudaStream_t stream, Args... args) const {
    cudaLaunchAttribute attributes[3] = {};
    unsigned n = 0;
    if (shape_.cooperative) {
      attributes[n].id = cudaLaunchAttributeCooperative;
      attributes[n++].val.cooperative = 1;
    }
    if (shape_.cluster > 0) {
      attributes[n].id = cudaLaunchAttributeClusterDimension;
      attributes[n++].val.clusterDim = {static_cast<unsigned>(shape_.cluster), 1, 1};
    }
    if (shape_.dependent) {
      attributes[n].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes[n++].val.programmaticStreamSerializationAllowed = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(shape_.blocks));
    config.blockDim = dim3(static_cast<unsigned>(shape_.threads));
    config.dynamicSmemBytes = shape_.shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = n;
    DWELL_CUDA(cudaLaunchKernelEx(&config, kernel_, Params(args)...));
  }

 private:
  void (*kernel_)(Params...);
  launch_shape shape_;
};

/// Times what is put into its stream.
class kernel_timer {
 public:
  explicit kernel_timer(const device_facts& here);
  ~kernel_timer();
  kernel_timer(const kernel_timer&) = delete;
  kernel_timer& operator=(const kernel_timer&) = delete;

  cudaStream_t stream() const { return stream_; }

  /// Seconds between events before and after what f() puts into the stream.
  template <class F>
  double seconds_of(F&& f) {
    DWELL_CUDA(cudaEventRecord(begin_, stream_));
    f();
    DWELL_CUDA(cudaEventRecord(end_, stream_));
    DWELL_CUDA(cudaEventSynchronize(end_));
    float ms = 0;
    DWELL_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return ms * 1e-3;
  }

  /// One launch of a kernel whose first argument is the spans that its blocks write.
  template <class... Params, class... Args>
  run_time run(const launch_shape& shape, void (*kernel)(kernel_span*, Params...), Args... args) {
    const launcher launch(kernel, shape);
    kernel_span* const spans = spans_of(shape.blocks);
    const double seconds = seconds_of([&] { launch(stream_, spans, args...); });
    return with_spans(seconds, shape.blocks);
  }

 private:
  kernel_span* spans_of(int blocks);
  run_time with_spans(double seconds, int blocks);

  cuda::stream stream_;
  cuda::event begin_, end_;
  kernel_span* spans_ = nullptr;
  std::vector<kernel_span> read_;
};

}  // namespace dwell::app::gpu
