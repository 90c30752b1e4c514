# find_package(cupel) gives the target cupel::kernels.
include("${CMAKE_CURRENT_LIST_DIR}/cupel-targets.cmake")
