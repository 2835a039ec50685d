# SPDX-License-Identifier: MIT
# Spack recipe. A release fills in what stands between @ signs (packaging/fill-in.sh).
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Dwell(CMakePackage, CudaPackage):
    """Solvers of linear systems and iterative stencils whose data stay on the chip, on CPU threads and CUDA devices."""

    homepage = "@HOMEPAGE@"
    url = "@URL@"

    license("MIT")

    version("@VERSION@", sha256="@SHA256@")

    variant("shared", default=True, description="Build shared libraries")
    variant("io", default=True, description="Build component io: files and generated matrices")
    variant("tools", default=True, when="+io", description="Build the command line tool")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("fmt@9:")
    with when("+io"):
        depends_on("libarchive")
        depends_on("zlib-api")
        depends_on("libpng")
    with when("+tools"):
        depends_on("cli11@2:", type="build")
        depends_on("nlohmann-json", type="build")
        depends_on("tomlplusplus", type="build")
        depends_on("eigen@3.4:", type="build")
    depends_on("cuda@12.4:", when="+cuda")

    generator("ninja")

    conflicts("%gcc@:11", msg="C++20 as of GCC 12 is needed")
    conflicts("cuda_arch=none", when="+cuda", msg="Say which GPUs: cuda_arch=90")

    def cmake_args(self):
        args = [
            self.define("DWELL_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("DWELL_TESTS", False),
            self.define("DWELL_BENCHMARKS", False),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("DWELL_IO", "io"),
            self.define("DWELL_APPS", self.spec.satisfies("+tools")),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
