// SPDX-License-Identifier: MIT
// Gathers of values, and failures that all ranks throw together.
#include "dwell/comm/agreement.hpp"

#include <algorithm>
#include <new>

namespace dwell {
namespace {

enum kind : int { none, input, unsupported, of_device, memory, interrupted, other };

template <class Error>
struct agreed final : Error, agreed_failure {
  using Error::Error;
};

struct failure {
  int is = none;
  std::string text;
};

failure failure_of(const std::exception_ptr& failed) {
  if (!failed) return {};
  try {
    std::rethrow_exception(failed);
  } catch (const unsupported_error& e) {
    return {unsupported, e.what()};
  } catch (const input_error& e) {
    return {input, e.what()};
  } catch (const device_error& e) {
    return {of_device, e.what()};
  } catch (const interrupted_error& e) {
    return {interrupted, e.what()};
  } catch (const std::bad_alloc& e) {
    return {memory, e.what()};
  } catch (const std::exception& e) {
    return {other, e.what()};
  }
}

[[noreturn]] void throw_as(int is, const std::string& text) {
  switch (is) {
    case unsupported:
      throw agreed<unsupported_error>(text);
    case input:
      throw agreed<input_error>(text);
    case of_device:
      throw agreed<device_error>(text);
    case interrupted:
      throw agreed<interrupted_error>(text);
    case memory:
      throw agreed<std::bad_alloc>();
    default:
      throw agreed<std::runtime_error>(text);
  }
}

}  // namespace

namespace detail {

void agree_on_failure(communicator& comm, std::exception_ptr failed) {
  const failure mine = failure_of(failed);
  const std::vector<int> kinds = values_of_ranks(comm, mine.is);
  const auto first = std::find_if(kinds.begin(), kinds.end(), [](int k) { return k != none; });
  if (first == kinds.end()) return;
  const int rank = static_cast<int>(first - kinds.begin());
  const std::string text = text_of_rank(comm, rank, mine.text);
  throw_as(*first, text);
}

}  // namespace detail
}  // namespace dwell
