// SPDX-License-Identifier: MIT
// From exceptions to the status codes of dwell/dwell.h, and the message of the last error.
#pragma once
#include <exception>
#include <new>
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/dwell.h"

namespace dwell::c_api {

/// Message of this thread, for dwell_last_error().
void set_last_error(const char* message) noexcept;

/// The status that f returns, or that of what it throws.
template <class F>
int guarded(F&& f) noexcept {
  try {
    return f();
  } catch (const input_error& e) {
    set_last_error(e.what());
    return DWELL_INPUT_ERROR;
  } catch (const interrupted_error& e) {
    set_last_error(e.what());
    return DWELL_INTERRUPTED;
  } catch (const device_error& e) {
    set_last_error(e.what());
    return DWELL_DEVICE_ERROR;
  } catch (const std::bad_alloc&) {
    set_last_error("too little memory on the host");
    return DWELL_DEVICE_ERROR;
  } catch (const std::exception& e) {
    set_last_error(e.what());
  } catch (...) {
    set_last_error("an exception of an unknown kind");
  }
  return DWELL_INTERNAL_ERROR;
}

/// Throws input_error if a pointer that must be there is null.
inline void require(const void* p, const char* what) {
  if (!p) throw input_error(std::string(what) + ": expected a pointer, found NULL");
}

/// DWELL_HOST or DWELL_CUDA; throws input_error otherwise.
inline bool on_host(int memory) {
  if (memory == DWELL_HOST || memory == DWELL_CUDA) return memory == DWELL_HOST;
  throw input_error("memory: expected DWELL_HOST (0) or DWELL_CUDA (1), found " +
                    std::to_string(memory));
}

/// f(double()) or f(float()); throws input_error if `precision` is neither.
template <class F>
auto with_precision(int precision, F&& f) {
  if (precision == DWELL_F64) return f(double());
  if (precision == DWELL_F32) return f(float());
  throw input_error("precision: expected DWELL_F64 (0) or DWELL_F32 (1), found " +
                    std::to_string(precision));
}

}  // namespace dwell::c_api
