# The library's sources, and the instruction set for which each file, and no other, is compiled.

set(CUPEL_INCLUDES)
foreach(folder common cpu sha1 sha256 siphash)
  list(APPEND CUPEL_INCLUDES ${CMAKE_CURRENT_SOURCE_DIR}/src/${folder})
endforeach()

set(CUPEL_SOURCES
  src/common/many.c
  src/common/secret.c
  src/cpu/cpu.c
  src/cpu/plan.c
  src/cpu/plan_defaults.c
  src/cpu/plan_use.c
  src/hmac/hmac_sha256.c
  src/hmac/hmac_sha256_many.c
  src/sha1/sha1.c
  src/sha1/sha1_constants.c
  src/sha1/sha1_many.c
  src/sha1/sha1_portable.c
  src/sha256/sha256.c
  src/sha256/sha256_constants.c
  src/sha256/sha256_many.c
  src/sha256/sha256_portable.c
  src/siphash/siphash.c
  src/siphash/siphash_many.c)

function(cupel_isa flags)
  foreach(file ${ARGN})
    set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${flags}")
  endforeach()
  set(CUPEL_SOURCES ${CUPEL_SOURCES} ${ARGN} PARENT_SCOPE)
endfunction()

if(CUPEL_PORTABLE_ONLY)
  list(APPEND CUPEL_SOURCES src/cpu/detect_none.c)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND CUPEL_SOURCES src/cpu/detect_x86.c)
  cupel_isa("-mssse3" src/sha1/sha1_ssse3.c src/sha256/sha256_ssse3.c)
  cupel_isa("-mavx2;-mbmi;-mbmi2" src/sha1/sha1_avx2.c src/sha256/sha256_avx2.c
            src/sha1/sha1_many_avx2.c src/sha256/sha256_many_avx2.c
            src/siphash/siphash_many_avx2.c)
  cupel_isa("-mavx512f;-mavx512bw;-mavx512vl" src/sha1/sha1_many_avx512.c
            src/sha256/sha256_many_avx512.c src/siphash/siphash_many_avx512.c)
  cupel_isa("-msha;-msse4.1;-mssse3" src/sha1/sha1_shani.c src/sha256/sha256_shani.c
            src/sha1/sha1_many_shani.c src/sha256/sha256_many_shani.c)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  list(APPEND CUPEL_SOURCES src/cpu/detect_arm.c)
  cupel_isa("-march=armv8-a+crypto" src/sha1/sha1_armsha.c src/sha256/sha256_armsha.c)
else()
  list(APPEND CUPEL_SOURCES src/cpu/detect_none.c)
endif()
