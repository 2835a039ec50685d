// SPDX-License-Identifier: MIT
// The caller's function that a running solve calls. It may return a bool, false to end the run
// there, or anything else, which is ignored.
#pragma once
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace dwell {

/// Holds any function that can be called with a `const Progress&`, or none.
template <class Progress>
class progress_function {
 public:
  progress_function() = default;        ///< none
  progress_function(std::nullptr_t) {}  ///< none
  /// Holds a copy of `f`; none if `f` compares equal to nullptr.
  template <class F>
  requires(!std::is_same_v<std::decay_t<F>, progress_function> &&
           std::is_invocable_v<std::decay_t<F>&, const Progress&>) progress_function(F&& f) {
    if constexpr (requires { f == nullptr; })
      if (f == nullptr) return;
    if constexpr (std::is_same_v<std::invoke_result_t<std::decay_t<F>&, const Progress&>, bool>)
      call_ = std::forward<F>(f);
    else
      call_ = [own = std::decay_t<F>(std::forward<F>(f))](const Progress& now) mutable {
        (void)own(now);
        return true;
      };
  }

  /// Is there one?
  explicit operator bool() const { return static_cast<bool>(call_); }
  /// Is the run to go on?
  bool operator()(const Progress& now) const { return call_(now); }

 private:
  std::function<bool(const Progress&)> call_;
};

}  // namespace dwell
