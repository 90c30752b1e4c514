# Cross-compiles for 64-bit Arm with Debian's gcc-aarch64-linux-gnu, statically, so that an emulator
# needs no second system:
#   cmake -S kernels -B build-arm -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake \
#         -DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
