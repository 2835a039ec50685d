// SPDX-License-Identifier: MIT
// Small kernels of the library that are compiled ahead by nvcc, or together by NVRTC when the first
// of them is needed: one source either way. What nvcc compiles takes the address of a kernel; what
// the host's compiler compiles has its name, and notes it before main() in the unit that it belongs
// to. So a unit knows all of its kernels, and no list of them is written.
//
//   struct my_kernels {                                    // a unit
//     static std::string about();                          // what people are told it is
//     static std::string group();                          // units that are compiled side by side
//     static constexpr const char* headers[] = {...};      // what its kernels are compiled of
//   };
//   DWELL_KERNEL(sum_kernel_of, dwell::cuda::sum_kernel)   // by nvcc: after its definition
//
//   launch_kernel<my_kernels, sum_kernel_of<double>>(where, blocks, lanes, n, from, to);
//
// Types in names have a name themselves: none is of a function or of an unnamed namespace.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "dwell/base/complex_value.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"

#if defined(__CUDACC__)
#define DWELL_KERNELS_AHEAD true
#define DWELL_KERNEL_ADDRESS(...) \
  static const void* ahead() { return reinterpret_cast<const void*>(&__VA_ARGS__); }
#else
#define DWELL_KERNELS_AHEAD false
#define DWELL_KERNEL_ADDRESS(...)
#endif

/// Defines NAME<types...> for a template KERNEL of types, which is written from ::dwell on.
#define DWELL_KERNEL(NAME, KERNEL)                                                             \
  template <class... DwellTypes>                                                               \
  struct NAME {                                                                                \
    static std::string name() { return ::dwell::cuda::template_name<DwellTypes...>(#KERNEL); } \
    DWELL_KERNEL_ADDRESS(KERNEL<DwellTypes...>)                                                \
  };
/// And NAME for a kernel that is no template.
#define DWELL_PLAIN_KERNEL(NAME, KERNEL)          \
  struct NAME {                                   \
    static std::string name() { return #KERNEL; } \
    DWELL_KERNEL_ADDRESS(KERNEL)                  \
  };

namespace dwell::cuda {

/// A type as compilers of kernels know it.
std::string name_of(const std::type_info& type);

template <class... A>
std::string template_name(const char* kernel) {
  std::string types;
  ((types += (types.empty() ? "" : ", ") + name_of(typeid(A))), ...);
  return std::string(kernel) + "<" + types + ">";
}

/// "cuts of matrices in f64", "cuts of matrices in complex f64".
template <class T>
std::string in_precision(const std::string& what) {
  constexpr bool complex = is_complex_value<T>;
  return what + (complex ? " in complex " : " in ") +
         (sizeof(T) == (complex ? 16 : 8) ? "f64" : "f32");
}

class kernel_unit {
 public:
  kernel_unit(std::string about, std::string group, std::vector<const char*> headers);
  kernel_unit(const kernel_unit&) = delete;
  kernel_unit& operator=(const kernel_unit&) = delete;

  /// Adds a kernel; returns its number.
  int add(std::string name);
  /// The handle of a kernel on a device. The first call compiles the unit, and side by side with it
  /// those of its group, or finds them in the cache.
  const void* handle(int kernel, int ordinal);
  /// All of it.
  kernel_source source() const;
  const std::string& about() const { return about_; }
  const std::string& group() const { return group_; }

  /// All units of this program, in the order of what they are.
  static std::vector<const kernel_unit*> all();

 private:
  std::vector<const void*> load(int ordinal) const;

  std::string about_, group_;
  std::vector<const char*> headers_;
  std::vector<std::string> names_;
  std::mutex guard_;
  std::map<int, std::vector<const void*>> handles_;  ///< by device
};

/// Never destroyed: statics may solve at their end.
template <class Unit>
kernel_unit& unit_of() {
  static auto& unit = *new kernel_unit(
      Unit::about(), Unit::group(),
      std::vector<const char*>(std::begin(Unit::headers), std::end(Unit::headers)));
  return unit;
}
template <class Unit, class Kernel>
inline const int number_in_unit = unit_of<Unit>().add(Kernel::name());

/// What the CUDA runtime takes for a kernel: its address, or a handle.
template <class Unit, class Kernel, bool Ahead = DWELL_KERNELS_AHEAD>
const void* kernel_in(int ordinal) {
  if constexpr (Ahead)
    return Kernel::ahead();
  else
    return unit_of<Unit>().handle(number_in_unit<Unit, Kernel>, ordinal);
}

/// Into the device's stream. Arguments have the very types of the kernel's parameters.
template <class Unit, class Kernel, class... Args>
void launch_kernel(const device& where, dim3 blocks, dim3 lanes, const Args&... args) {
  const current_device here(where.ordinal());
  launch_apart(kernel_in<Unit, Kernel>(where.ordinal()), blocks, lanes, 0,
               static_cast<cudaStream_t>(where.stream()), args...);
}

}  // namespace dwell::cuda
