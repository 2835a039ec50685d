// SPDX-License-Identifier: MIT
// The judge of examine(): the rules of check_system() in plain loops.
#pragma once
#include "dwell/formats/csr.hpp"
#include "dwell/solvers/linear/check/validate.hpp"

namespace dwell::test {

/// By the letter of check_system().
template <class T>
system_facts plainly(const csr<T>& a, bool check_symmetry);

}  // namespace dwell::test
