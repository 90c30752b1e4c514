# find_package(cupel) defines the target cupel::kernels.
include("${CMAKE_CURRENT_LIST_DIR}/cupel-targets.cmake")
