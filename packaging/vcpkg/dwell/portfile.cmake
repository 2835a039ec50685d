# SPDX-License-Identifier: MIT
# vcpkg port. A release fills in what stands between @ signs (packaging/fill-in.sh).
vcpkg_download_distfile(ARCHIVE
    URLS "@URL@"
    FILENAME "dwell-@VERSION@.tar.gz"
    SHA512 @SHA512@
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        io DWELL_IO
)
set(cuda OFF)
if("cuda" IN_LIST FEATURES)
    vcpkg_find_cuda(OUT_CUDA_TOOLKIT_ROOT cuda_toolkit_root)
    set(cuda ON)
    list(APPEND FEATURE_OPTIONS "-DCMAKE_CUDA_COMPILER=${NVCC}" "-DCUDAToolkit_ROOT=${cuda_toolkit_root}")
endif()

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DDWELL_CUDA=${cuda}
        -DDWELL_APPS=OFF
        -DDWELL_TESTS=OFF
        -DDWELL_BENCHMARKS=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/dwell)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
