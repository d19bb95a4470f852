"""Conan 2 recipe for a checkout: conan create scripts/packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps
from conan.tools.system.package_manager import Apt

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


class Pharos(ConanFile):
    name = "pharos"
    license = "MIT"
    description = "Area-of-interest engine for MMO servers"
    settings = "os", "arch", "compiler", "build_type"
    options = {"config": [True, False], "store": [True, False], "view": [True, False], "cluster": [True, False]}
    default_options = {"config": False, "store": False, "view": False, "cluster": False}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "..", "..", "..", "include", "pharos", "base.h"))
        self.version = ".".join(re.findall(r"^#define PHAROS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.M))

    def export_sources(self):
        for folder in ("include", "src", "shards", "scripts", "docs", "tests/examples", "tests/pages"):
            copy(self, f"{folder}/*", TREE, self.export_sources_folder)
        for file in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "bench/plots/engines.svg"):
            copy(self, file, TREE, self.export_sources_folder)

    def system_requirements(self):
        Apt(self).install(["libck-dev"])  # Conan Center has no recipe of concurrencykit

    def requirements(self):
        if self.options.config:
            self.requires("libconfuse/3.3")
        if self.options.store or self.options.cluster:
            self.requires("xxhash/0.8.2")
        if self.options.store:
            self.requires("zstd/1.5.5")
        if self.options.view:
            self.requires("libwebsockets/4.3.2")
        if self.options.cluster:
            self.requires("cnats/3.8.2")
            self.requires("libcurl/8.8.0")
            self.requires("cjson/1.7.16")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("config", "store", "view", "cluster"):
            toolchain.cache_variables[f"PHAROS_BUILD_{part.upper()}"] = bool(getattr(self.options, part))
        for part in ("TOOLS", "BENCH", "TESTS"):
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
