// SPDX-License-Identifier: MIT
// How many members an aggregate has: for tests of tables that have a row for each.
#pragma once
#include <cstddef>
#include <type_traits>

namespace dwell::test {

struct anything {
  template <class T>
  requires(!std::is_same_v<T, anything>) operator T() const;
};
/// How many members an aggregate has.
template <class Aggregate, class... Known>
constexpr std::size_t members_of() {
  if constexpr (requires { Aggregate{Known()..., anything()}; })
    return members_of<Aggregate, Known..., anything>();
  else
    return sizeof...(Known);
}

}  // namespace dwell::test
