// SPDX-License-Identifier: MIT
// What kernels use of the standard library, for NVRTC, which has none. Nothing of the host's
// headers or of libcudacxx is read, found or shipped. For code of devices only (-default-device),
// on 64-bit Linux. Stands for: algorithm array bit climits cmath concepts cstddef cstdint cstring
// iterator limits string type_traits utility.
#pragma once

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
using uintptr_t = unsigned long;
#define INT32_MAX 2147483647
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)

namespace std {
using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using nullptr_t = decltype(nullptr);
using ::int16_t, ::int32_t, ::int64_t, ::int8_t, ::uint16_t, ::uint32_t, ::uint64_t, ::uint8_t,
    ::uintptr_t;
class string;  // declarations of host functions name it

// <type_traits>, <concepts>
template <class V, V X>
struct integral_constant {
  static constexpr V value = X;
  using value_type = V;
  using type = integral_constant;
  constexpr operator V() const noexcept { return X; }
  constexpr V operator()() const noexcept { return X; }
};
template <bool B>
using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <class A>
struct type_identity {
  using type = A;
};
template <bool B, class A, class>
struct conditional {
  using type = A;
};
template <class A, class C>
struct conditional<false, A, C> {
  using type = C;
};
template <bool B, class A, class C>
using conditional_t = typename conditional<B, A, C>::type;
template <class A>
struct remove_reference {
  using type = A;
};
template <class A>
struct remove_reference<A&> {
  using type = A;
};
template <class A>
struct remove_reference<A&&> {
  using type = A;
};
template <class A>
using remove_reference_t = typename remove_reference<A>::type;
template <class A>
struct remove_cv {
  using type = A;
};
template <class A>
struct remove_cv<const A> {
  using type = A;
};
template <class A>
using remove_cv_t = typename remove_cv<A>::type;
template <class A>
using remove_cvref_t = remove_cv_t<remove_reference_t<A>>;
template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
template <class A>
inline constexpr bool is_const_v = false;
template <class A>
inline constexpr bool is_const_v<const A> = true;
template <class B, class D>
inline constexpr bool is_base_of_v = __is_base_of(B, D);
template <class A>
inline constexpr bool is_floating_point_v = is_same_v<A, float> || is_same_v<A, double>;
template <class A>
inline constexpr bool is_integral_v = false;
template <class A>
struct make_unsigned;
#define DWELL_INTEGER(I, U)                      \
  template <>                                    \
  inline constexpr bool is_integral_v<I> = true; \
  template <>                                    \
  struct make_unsigned<I> {                      \
    using type = U;                              \
  };
DWELL_INTEGER(int, unsigned)
DWELL_INTEGER(unsigned, unsigned)
DWELL_INTEGER(long, unsigned long)
DWELL_INTEGER(unsigned long, unsigned long)
#undef DWELL_INTEGER
template <class A>
using make_unsigned_t = typename make_unsigned<A>::type;
template <class A>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(A);
template <class A>
A&& declval() noexcept;
template <class A, class B>
concept same_as = is_same_v<A, B>;
template <class A, class B>
concept convertible_to = __is_convertible_to(A, B);

// <utility>
template <class I, I... N>
struct integer_sequence {
  using value_type = I;
  static constexpr size_t size() noexcept { return sizeof...(N); }
};
template <size_t... N>
using index_sequence = integer_sequence<size_t, N...>;
namespace detail {
template <class I, I... A, I... B>
constexpr auto joined(integer_sequence<I, A...>, integer_sequence<I, B...>) {
  return integer_sequence<I, A..., (static_cast<I>(sizeof...(A)) + B)...>{};
}
template <class I, size_t N>
constexpr auto numbers() {
  if constexpr (N == 0)
    return integer_sequence<I>{};
  else if constexpr (N == 1)
    return integer_sequence<I, 0>{};
  else
    return joined(numbers<I, N / 2>(), numbers<I, N - N / 2>());
}
}  // namespace detail
template <class I, I N>
using make_integer_sequence = decltype(detail::numbers<I, static_cast<size_t>(N)>());
template <size_t N>
using make_index_sequence = make_integer_sequence<size_t, N>;
template <class A>
constexpr void swap(A& a, A& b) {
  const A c = a;
  a = b;
  b = c;
}

// <algorithm>
template <class A>
constexpr const A& min(const A& a, const A& b) {
  return b < a ? b : a;
}
template <class A>
constexpr const A& max(const A& a, const A& b) {
  return a < b ? b : a;
}
template <class A>
constexpr const A& clamp(const A& v, const A& low, const A& high) {
  return v < low ? low : high < v ? high : v;
}

// <array>, <iterator>
template <class V, size_t N>
struct array {
  V elements[N];
  constexpr size_t size() const { return N; }
  constexpr V& operator[](size_t i) { return elements[i]; }
  constexpr const V& operator[](size_t i) const { return elements[i]; }
  constexpr V* begin() { return elements; }
  constexpr V* end() { return elements + N; }
  constexpr const V* begin() const { return elements; }
  constexpr const V* end() const { return elements + N; }
  constexpr V* data() { return elements; }
  constexpr const V* data() const { return elements; }
};
template <class V>
struct array<V, 0> {
  constexpr size_t size() const { return 0; }
  constexpr const V* begin() const { return nullptr; }
  constexpr const V* end() const { return nullptr; }
};
template <class V, class... More>
array(V, More...) -> array<V, 1 + sizeof...(More)>;
template <class V, size_t N>
constexpr size_t size(const V (&)[N]) {
  return N;
}
template <class C>
constexpr auto size(const C& c) -> decltype(c.size()) {
  return c.size();
}

// <bit>
template <class To, class From>
constexpr To bit_cast(const From& v) {
  return __builtin_bit_cast(To, v);
}
template <class U>
constexpr U bit_ceil(U v) {
  U n = 1;
  while (n < v) n *= 2;
  return n;
}

// <limits>
template <class V>
struct numeric_limits;
template <>
struct numeric_limits<int> {
  static constexpr int max() { return 0x7fffffff; }
  static constexpr int min() { return -0x7fffffff - 1; }
  static constexpr int lowest() { return min(); }
};
template <>
struct numeric_limits<long> {
  static constexpr long max() { return 0x7fffffffffffffff; }
  static constexpr long min() { return -0x7fffffffffffffff - 1; }
  static constexpr long lowest() { return min(); }
};
template <>
struct numeric_limits<double> {
  static constexpr double infinity() { return __builtin_bit_cast(double, 0x7ff0000000000000ul); }
  static constexpr double quiet_NaN() { return __builtin_bit_cast(double, 0x7ff8000000000000ul); }
  static constexpr double max() { return 0x1.fffffffffffffp1023; }
  static constexpr double denorm_min() { return 0x1p-1074; }
};
template <>
struct numeric_limits<float> {
  static constexpr float infinity() { return __builtin_bit_cast(float, 0x7f800000u); }
  static constexpr float quiet_NaN() { return __builtin_bit_cast(float, 0x7fc00000u); }
  static constexpr float max() { return 0x1.fffffep127f; }
};

// <cmath>
__device__ __forceinline__ double fma(double a, double b, double c) { return ::fma(a, b, c); }
__device__ __forceinline__ float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
__device__ __forceinline__ double fabs(double v) { return ::fabs(v); }
__device__ __forceinline__ float fabs(float v) { return ::fabsf(v); }
__device__ __forceinline__ double sqrt(double v) { return ::sqrt(v); }
__device__ __forceinline__ float sqrt(float v) { return ::sqrtf(v); }
__device__ __forceinline__ double fmax(double a, double b) { return ::fmax(a, b); }
__device__ __forceinline__ double fmin(double a, double b) { return ::fmin(a, b); }
__device__ __forceinline__ double ldexp(double v, int n) { return ::ldexp(v, n); }
__device__ __forceinline__ int ilogb(double v) { return ::ilogb(v); }
__device__ __forceinline__ double frexp(double v, int* n) { return ::frexp(v, n); }
__device__ __forceinline__ bool isfinite(double v) { return ::isfinite(v); }
}  // namespace std
