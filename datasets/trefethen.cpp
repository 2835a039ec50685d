// SPDX-License-Identifier: MIT
// The matrices of L. N. Trefethen's "A Hundred-dollar, Hundred-digit Challenge" (SIAM News, 2002),
// problem 7: the primes on the diagonal, ones where |i - j| is a power of two. SuiteSparse has them
// as JGD_Trefethen/Trefethen_N.
#include <bit>

#include "dwell/datasets/model_problems.hpp"
#include "dwell/datasets/row_builder.hpp"

namespace dwell::detail {

std::vector<index> first_primes(index n) {
  // The n-th prime lies below n (ln n + ln ln n) for n >= 6 (Rosser), and that below n
  // bit_width(n).
  const std::int64_t limit =
      n < 6 ? 12 : std::int64_t{n} * std::bit_width(static_cast<std::uint32_t>(n));
  std::vector<index> primes;
  primes.reserve(static_cast<std::size_t>(n));
  if (n > 0) primes.push_back(2);
  // composite[k] is about 2 k + 1: a sieve of the odd numbers.
  std::vector<bool> composite(static_cast<std::size_t>(limit / 2 + 1));
  for (std::int64_t p = 3; std::ssize(primes) < n; p += 2) {
    if (composite[static_cast<std::size_t>(p / 2)]) continue;
    primes.push_back(static_cast<index>(p));
    for (std::int64_t q = p * p; q <= limit; q += 2 * p)
      composite[static_cast<std::size_t>(q / 2)] = true;
  }
  return primes;
}

std::int64_t trefethen_nonzeros(std::int64_t n) {
  std::int64_t total = n;
  for (std::int64_t distance = 1; distance < n; distance *= 2) total += 2 * (n - distance);
  return total;
}

csr<double> trefethen(index n, int threads) {
  const std::vector<index> primes = first_primes(n);
  return build_rows(n, n, threads, [&](index i, auto&& sink) {
    const auto before = static_cast<std::uint32_t>(i);  // distances 1 .. i lead to a column
    for (std::uint32_t distance = std::bit_floor(before); distance > 0; distance /= 2)
      sink(i - static_cast<index>(distance), 1.0);
    sink(i, static_cast<double>(primes[static_cast<std::size_t>(i)]));
    for (std::int64_t distance = 1; i + distance < n; distance *= 2)
      sink(static_cast<index>(i + distance), 1.0);
  });
}

}  // namespace dwell::detail
