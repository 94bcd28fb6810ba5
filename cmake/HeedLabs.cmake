# The programs with the checks of labs/ (docs/teaching.md): lab_NN of all that lies in labs/NN-*/ (check.cc, figure.cc, ...). They
# link the core and not the helpers of tests/, which bring in the whole program; those that include what lies above it also link
# dialogues and the models that respond. labs/heed-lab links them once more, with what a student wrote in front.
# A lab's variation, which students write from nothing, is a library of its own, so that theirs comes in front of it, too.

if(NOT TARGET GTest::gtest)  # HEED_LAB_FETCH may have it
  find_package(GTest REQUIRED)
endif()

# What a build of everything leaves out, unless it only looks at the sources: `make test-labs` and labs/heed-lab ask for it.
function(heed_lab_target target)
  heed_target(${target})
  if(NOT CMAKE_CXX_CLANG_TIDY)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

heed_glob(lab_support_sources labs/support/*.cc)
add_library(heed_lab_support STATIC ${lab_support_sources})
heed_lab_target(heed_lab_support)
target_link_libraries(heed_lab_support PUBLIC heed_core GTest::gtest nlohmann_json::nlohmann_json)
target_compile_definitions(heed_lab_support PUBLIC HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
set(allocate _ZN4heed8allocateElNS_6DeviceE)  # fresh() in labs/support/memory.cc
target_link_options(heed_lab_support PUBLIC LINKER:--wrap=${allocate},--undefined=__wrap_${allocate})
foreach(function malloc calloc realloc aligned_alloc posix_memalign free)  # there, too
  target_link_options(heed_lab_support PUBLIC LINKER:--wrap=${function})
endforeach()
target_precompile_headers(heed_lab_support PRIVATE <gtest/gtest.h> <functional> <map> <string> <vector>)

# The models that respond, as a library: a program takes of it what the student's files lack.
add_library(heed_lab_dialog STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:heed_responding>)
set_target_properties(heed_lab_dialog PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(heed_lab_dialog PUBLIC heed_core ZLIB::ZLIB)

# The emulation of CUDA, for labs with kernels: in every build, also in one for a real GPU. As objects, so that nothing
# of it comes from what stands for CUDA there.
add_library(heed_emulation OBJECT EXCLUDE_FROM_ALL ${HEED_EMULATION})
heed_target(heed_emulation)
target_link_libraries(heed_emulation PUBLIC heed_kernels)

# What a lab brings besides its checks is compiled as the library's kernels are, at -O3, into a library that comes before
# theirs. Lab 10 takes the product of matrices out: the labs before it have that of lab 1. It is compared with Eigen's.
function(heed_lab_kernels name folder)
  heed_glob(sources ${folder}/kernels/*.cc)
  add_library(${name} SHARED ${sources})
  heed_lab_target(${name})
  target_compile_options(${name} PRIVATE $<TARGET_PROPERTY:heed_kernels,COMPILE_OPTIONS> -O3)
  target_link_libraries(${name} PUBLIC heed_kernels PRIVATE ${ARGN})
  target_link_options(${name} INTERFACE LINKER:--no-as-needed)
endfunction()
heed_lab_kernels(heed_lab_product labs/01-memory)
find_package(Eigen3 3.4 QUIET NO_MODULE)
heed_lab_kernels(heed_lab_parts labs/10-speed $<TARGET_NAME_IF_EXISTS:Eigen3::Eigen>)
set_source_files_properties(${PROJECT_SOURCE_DIR}/labs/10-speed/kernels/by_eigen.cc PROPERTIES COMPILE_OPTIONS
                            "$<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>")  # as in heed_bench

add_custom_target(heed_lab_programs)
set(HEED_LAB_PROGRAMS)
heed_glob(lab_checks labs/[0-9][0-9]-*/check.cc)
foreach(source IN LISTS lab_checks)
  string(REGEX REPLACE ".*/labs/([0-9][0-9])-[^/]*/check.cc" "lab_\\1" name ${source})
  string(REPLACE /check.cc /kernels.cc kernels ${source})
  if(EXISTS ${kernels} AND NOT TARGET emulator)
    continue()
  endif()
  # A handout leaves out CUDA's twins of kernels that other labs cut: then it has no lab that is about them.
  if(EXISTS ${kernels} AND NOT EXISTS ${PROJECT_SOURCE_DIR}/tensor/kernels/softmax.cu)
    continue()
  endif()
  cmake_path(GET source PARENT_PATH folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  list(REMOVE_ITEM sources ${folder}/variation.cc ${kernels})
  add_executable(${name} ${sources})
  heed_lab_target(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/labs)
  if(name STRLESS lab_10)
    target_link_libraries(${name} PRIVATE heed_lab_product)
  elseif(name STREQUAL lab_10)
    target_link_libraries(${name} PRIVATE heed_lab_parts)
  endif()
  target_link_libraries(${name} PRIVATE heed_lab_support)
  file(STRINGS ${source} above_the_core REGEX "^#include \"(train|dialog)/")
  if(above_the_core)
    target_link_libraries(${name} PRIVATE heed_lab_dialog)
  endif()
  target_precompile_headers(${name} REUSE_FROM heed_lab_support)
  if(EXISTS ${folder}/variation.cc)
    add_library(${name}_variation STATIC ${folder}/variation.cc)
    heed_lab_target(${name}_variation)
    target_link_libraries(${name}_variation PUBLIC heed_core)
    if(EXISTS ${kernels})
      target_compile_options(${name}_variation PRIVATE -O0 -g)
    endif()
    target_link_libraries(${name} PRIVATE ${name}_variation)
  endif()
  if(EXISTS ${kernels})
    add_library(${name}_kernels STATIC ${kernels})
    heed_lab_target(${name}_kernels)
    target_compile_options(${name}_kernels PRIVATE -O0 -g)  # for the debugger
    target_link_libraries(${name}_kernels PRIVATE heed_core)
    target_link_libraries(${name} PRIVATE ${name}_kernels)
    if(NOT HEED_CUDA_BACKEND STREQUAL "emulate")  # where libheed_cuda.so has it
      target_link_libraries(${name} PRIVATE heed_emulation emulator)
    endif()
  endif()
  add_dependencies(heed_lab_programs ${name})
  list(APPEND HEED_LAB_PROGRAMS ${name})
endforeach()
