"""Conan 2 recipe for a checkout: conan create scripts/packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


class Pharos(ConanFile):
    name = "pharos"
    license = "MIT"
    description = "Area-of-interest engine for MMO servers"
    settings = "os", "arch", "compiler", "build_type"
    options = {"config": [True, False]}
    default_options = {"config": False}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "..", "..", "..", "include", "pharos", "base.h"))
        self.version = ".".join(re.findall(r"^#define PHAROS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.M))

    def export_sources(self):
        for folder in ("include", "src", "shards", "scripts"):
            copy(self, f"{folder}/*", TREE, self.export_sources_folder)
        for file in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "tests/examples/*.c"):
            copy(self, file, TREE, self.export_sources_folder)

    def requirements(self):
        self.requires("concurrencykit/0.7.0")
        if self.options.config:
            self.requires("libconfuse/3.3")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["PHAROS_BUILD_CONFIG"] = bool(self.options.config)
        for part in ("STORE", "VIEW", "TOOLS", "BENCH", "TESTS"):
            toolchain.cache_variables[f"PHAROS_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package's own pharosConfig.cmake
        self.cpp_info.builddirs = ["lib/cmake/pharos"]
