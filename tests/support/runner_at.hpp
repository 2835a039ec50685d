// SPDX-License-Identifier: MIT
// A stencil_runner at the place of the tests, with its field and perhaps a source.
#pragma once
#include "stencil_place.hpp"

#include "dwell/stencil/stencil_runner.hpp"

namespace dwell::test {

template <class T>
stencil_runner<T> runner_at(const grid<T>& u, const stencil_options& o,
                            const grid<T>* source = nullptr) {
  stencil_runner<T> runner(stencil_place::where(), u.size(), o, source != nullptr);
  runner.set_field(u);
  if (source) runner.set_source(*source);
  return runner;
}

}  // namespace dwell::test
