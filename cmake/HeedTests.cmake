# Every tests/NAME_test.cc is a GoogleTest program of that name; tests/NAME_slow_test.cc has the label
# "slow". Any other tests/*.cc is shared by all of them.

find_package(GTest REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)  # the products that ours are compared with

heed_glob(test_sources tests/*_test.cc)
heed_glob(test_support tests/*.cc)
list(REMOVE_ITEM test_support ${test_sources})
if(NOT HEED_CUDA_BACKEND)
  list(FILTER test_sources EXCLUDE REGEX "/cuda_[a-z_]*test\\.cc$")
endif()
if(NOT HEED_CUDA_BACKEND STREQUAL "emulate")
  list(REMOVE_ITEM test_sources ${PROJECT_SOURCE_DIR}/tests/emulate_test.cc)
endif()

add_library(heed_test_support INTERFACE)
target_link_libraries(heed_test_support INTERFACE GTest::gtest_main Eigen3::Eigen
                      nlohmann_json::nlohmann_json)
target_compile_definitions(heed_test_support INTERFACE HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
if(TARGET heed)
  target_link_libraries(heed_test_support INTERFACE heed)
endif()
if(TARGET heed_program)  # for tests that run the program as a user does
  target_compile_definitions(heed_test_support INTERFACE HEED_PROGRAM="$<TARGET_FILE:heed_program>")
  add_dependencies(heed_test_support heed_program)
endif()
if(example_targets)
  target_compile_definitions(heed_test_support INTERFACE
                             HEED_EXAMPLES_DIR="${PROJECT_BINARY_DIR}/examples")
endif()

if(test_support)
  add_library(heed_test_objects STATIC ${test_support})
  heed_target(heed_test_objects)
  target_link_libraries(heed_test_objects PUBLIC heed_test_support)
endif()

add_custom_target(heed_fast_tests)  # builds what `ctest -LE slow` runs
list(GET test_sources 0 first_test)
cmake_path(GET first_test STEM first_test)
foreach(source IN LISTS test_sources)
  cmake_path(GET source STEM name)
  add_executable(${name} ${source})
  heed_target(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE heed_test_support)
  if(test_support)
    target_link_libraries(${name} PRIVATE heed_test_objects)
  endif()
  if(name STREQUAL "examples_test" AND example_targets)
    add_dependencies(${name} ${example_targets})
  endif()
  if(name STREQUAL "docs_add_an_op_test")  # includes a kernel's .cc, without its flags
    target_compile_options(${name} PRIVATE -Wno-unknown-pragmas)
  endif()
  if(name STREQUAL first_test)
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <nlohmann/json.hpp>)
  else()
    target_precompile_headers(${name} REUSE_FROM ${first_test})
  endif()
  # Tests compile longer than they run.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
  if(name MATCHES "_slow_test$")
    set_tests_properties(${name} PROPERTIES LABELS slow)
  else()
    add_dependencies(heed_fast_tests ${name})
  endif()
endforeach()

if(TARGET heed AND NOT HEED_SANITIZE)
  add_test(NAME install COMMAND ${CMAKE_COMMAND}
           -D BUILD_DIR=${PROJECT_BINARY_DIR} -D CXX=${CMAKE_CXX_COMPILER}
           -P ${PROJECT_SOURCE_DIR}/tests/install/install_test.cmake)
  set_tests_properties(install PROPERTIES LABELS slow)
endif()
