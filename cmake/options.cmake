# What a build can be asked for, and the flags that every target gets.
set(DWELL_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (if nvcc is found), ON, OFF")
set_property(CACHE DWELL_CUDA PROPERTY STRINGS AUTO ON OFF)
option(DWELL_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(DWELL_APPS "Build the command line tool" ${PROJECT_IS_TOP_LEVEL})
option(DWELL_BENCHMARKS "Build the benchmark programs and the peers (with DWELL_APPS)" ${PROJECT_IS_TOP_LEVEL})
option(DWELL_FUZZ "Build the fuzz targets (clang only)" OFF)
set(DWELL_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")

if(NOT DWELL_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "DWELL_CUDA is AUTO, ON or OFF, not '${DWELL_CUDA}'")
endif()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# ccache, told to see paths relative to the source: another clone then finds what this one built.
find_program(DWELL_CCACHE ccache)
if(DWELL_CCACHE)
  set(dwell_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${DWELL_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${dwell_launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${dwell_launcher})
endif()

# CUDA: AUTO builds it where nvcc is found. The architecture is that of the GPU present, else 90.
set(DWELL_HAVE_CUDA OFF)
if(NOT DWELL_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  find_program(DWELL_NVCC nvcc PATHS /usr/local/cuda/bin)  # often there and not in PATH
  if(DWELL_NVCC AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} ${DWELL_NVCC})
  endif()
  if(DWELL_NVCC AND NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)  # not there the last time
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(dwell_gpu "")
      find_program(DWELL_NVIDIA_SMI nvidia-smi)
      if(DWELL_NVIDIA_SMI)
        execute_process(COMMAND ${DWELL_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
          OUTPUT_VARIABLE dwell_gpu ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
        string(REGEX MATCH "^[0-9]+\\.[0-9]+" dwell_gpu "${dwell_gpu}")
        string(REPLACE "." "" dwell_gpu "${dwell_gpu}")
      endif()
      if(NOT dwell_gpu)
        set(dwell_gpu 90)
      endif()
      set(CMAKE_CUDA_ARCHITECTURES ${dwell_gpu} CACHE STRING "CUDA architectures")
    endif()
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    find_package(CUDAToolkit REQUIRED)
    set(DWELL_HAVE_CUDA ON)
    # 12.4 is the first with the conditional graph nodes that the graph executor needs.
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
      set(dwell_old_nvcc "CUDA 12.4 or newer is needed, found ${CMAKE_CUDA_COMPILER_VERSION} (${CMAKE_CUDA_COMPILER})")
      if(DWELL_CUDA STREQUAL "ON")
        message(FATAL_ERROR "DWELL_CUDA=ON: ${dwell_old_nvcc}")
      endif()
      message(WARNING "Building without CUDA: ${dwell_old_nvcc}")
      set(DWELL_HAVE_CUDA OFF)
    endif()
  elseif(DWELL_CUDA STREQUAL "ON")
    message(FATAL_ERROR "DWELL_CUDA=ON, but no working nvcc was found: set CUDACXX or CMAKE_CUDA_COMPILER")
  elseif(DWELL_NVCC)
    message(WARNING "Building without CUDA: ${DWELL_NVCC} does not work, see CMakeFiles/CMakeError.log")
  endif()
endif()
if(DWELL_HAVE_CUDA)
  message(STATUS "Dwell: CUDA ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
  message(STATUS "Dwell: without CUDA")
endif()

# Warnings and the rules of floating-point arithmetic: no contraction anywhere, so that one text gives
# the same bits on every backend (fma is written where it is meant).
add_library(dwell_flags INTERFACE)
target_compile_options(dwell_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Wno-sign-conversion -Wno-unknown-pragmas -ffp-contract=off>
  "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;--expt-relaxed-constexpr;--extended-lambda;-Xcompiler=-Wall,-ffp-contract=off;-lineinfo>")
# The library's own kernels on the CPU. The instructions are checked at start: see require_cpu() in
# execution/core/device.cpp. Under AddressSanitizer -O3 takes three times as long to compile and the tests gain little;
# ThreadSanitizer's compile as fast and run in two thirds of the time.
set(DWELL_KERNEL_OPTIONS -O3)
if(DWELL_SANITIZE MATCHES "address|undefined")
  set(DWELL_KERNEL_OPTIONS -O1)
endif()
# On a CPU perks is there to be tested, with the text of the GPU: compiled in less than half of the time.
set(DWELL_PROTOCOL_OPTIONS ${DWELL_KERNEL_OPTIONS})
if(NOT DWELL_SANITIZE)
  set(DWELL_PROTOCOL_OPTIONS $<$<CONFIG:Release>:-O1>)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND DWELL_KERNEL_OPTIONS -mavx2 -mfma)
  list(APPEND DWELL_PROTOCOL_OPTIONS -mavx2 -mfma)
endif()
# The command line and the tests wait for the library, and with their parsers of options and JSON they are most of
# what a cold build compiles: at -O1 (under sanitizers -O0) in two thirds of the time.
set(DWELL_DRIVER_OPTIONS $<$<CONFIG:Release>:-O1>)
if(DWELL_SANITIZE)
  set(DWELL_DRIVER_OPTIONS -O0)
endif()
if(DWELL_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${DWELL_SANITIZE}>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all> $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=${DWELL_SANITIZE})
endif()
# Teams of a CPU are late at random: see execution/core/grid_team_cpu.hpp.
if(DWELL_SANITIZE MATCHES "thread")
  add_compile_definitions(DWELL_LATE_TEAMS)
endif()
