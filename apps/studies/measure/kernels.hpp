// SPDX-License-Identifier: MIT
// The inner loops of probes. They are a source of their own, compiled with the instructions and
// options of the library's kernels. Counts are exact: so many loads, operations or words.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace dwell::app::kernels {

/// So that nothing is computed for nobody.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "m"(value));
}

/// The sum of n words, n a multiple of 16, from an address that is a multiple of 32.
std::uint64_t read_words(const std::uint64_t* from, std::size_t n);
/// Copies n words, likewise.
void copy_words(std::uint64_t* to, const std::uint64_t* from, std::size_t n);

/// The sum of the elements by std::reduce, in their own type.
template <class T>
T std_sum(std::span<const T> v);

/// A place in memory that holds the address of the next one, in a line of its own.
struct alignas(64) link {
  link* next;
};
/// So many loads, each from the address that the one before gave.
link* follow(link* from, std::int64_t loads);

/// So many additions of integers, each of which needs the one before.
std::uint64_t add_chain(std::int64_t n);
/// So many fused multiply-adds, each of which needs the one before.
template <class T>
T fma_chain(std::int64_t n);

/// So many rounds of independent fused multiply-adds in vector registers.
template <class T>
T fma_rounds(std::int64_t rounds);
/// Work of a round: fused multiply-adds of all lanes.
template <class T>
inline constexpr int fmas_of_round = 12 * 32 / static_cast<int>(sizeof(T));

}  // namespace dwell::app::kernels
