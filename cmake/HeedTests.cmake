# Every NAME_test.cc in tests/ and its folders is a GoogleTest program of that name (or a link to one of several, see below); NAME_slow_test.cc has the label
# "slow", another one that starts heed the label "program". It links the core, and of the rest what it includes: so a test of an op does not wait for the
# dialogue models and the program.

find_package(GTest REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)  # the products that ours are compared with

heed_glob(test_sources tests/*_test.cc tests/*/*_test.cc tests/*/*/*_test.cc tests/*/*/*/*_test.cc)
if(NOT HEED_CUDA_BACKEND)
  list(FILTER test_sources EXCLUDE REGEX "/cuda_[a-z_]*test\\.cc$")
endif()
if(NOT HEED_HAVE_WEB)
  list(FILTER test_sources EXCLUDE REGEX "/(program_)?web_[a-z_]*test\\.cc$")
endif()
if(NOT HEED_HAVE_NCCL)
  list(FILTER test_sources EXCLUDE REGEX "/cuda_nccl_test\\.cc$")
endif()
if(NOT HEED_CUDA_BACKEND STREQUAL "emulate")
  list(FILTER test_sources EXCLUDE REGEX "/tests/tensor/(emulated_blocks|watched_kernels)_test\\.cc$")
endif()

# Without optimisation most tests compile in a third less time: they wait for what they test, which is optimised. What they
# instantiate of a header is their own, though: those that work with JSON, regular expressions, Eigen or the table of ops are optimised.
function(heed_test_target target)
  heed_target(${target})
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O0>)
endfunction()
set(optimised "/tests/(docs/|experiments/|autograd/op_table|tensor/gemm)")

# What all tests link. Its precompiled header is theirs too.
add_library(heed_test_main STATIC tests/main.cc)
heed_test_target(heed_test_main)
target_link_libraries(heed_test_main PUBLIC heed_core GTest::gtest Eigen3::Eigen ZLIB::ZLIB
                      nlohmann_json::nlohmann_json)
set_source_files_properties(tests/main.cc PROPERTIES COMPILE_DEFINITIONS
  "HEED_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\";HEED_PROGRAM=\"$<TARGET_FILE:heed_program>\";HEED_EXAMPLES_DIR=\"${PROJECT_BINARY_DIR}/examples\"")
if(example_targets)
  target_compile_definitions(heed_test_main PUBLIC HEED_HAVE_EXAMPLES=1)
endif()
target_precompile_headers(heed_test_main PRIVATE <gtest/gtest.h> <nlohmann/json.hpp>)

heed_glob(op_table_sources tests/autograd/op_table.cc tests/autograd/op_table_*.cc)
list(REMOVE_ITEM op_table_sources ${test_sources})
add_library(heed_op_table STATIC ${op_table_sources})
heed_target(heed_op_table)
target_link_libraries(heed_op_table PUBLIC heed_test_main)
target_precompile_headers(heed_op_table PRIVATE <gtest/gtest.h> <nlohmann/json.hpp>)

# Adds to the list `variable` what a file of tests/, or a helper that it includes, needs besides the core.
function(heed_add_needs variable file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  set(needs ${${variable}})
  if(text MATCHES "#include \"(train|dialog|experiments|examples)/")
    list(APPEND needs heed_dialog)
  endif()
  if(text MATCHES "#include \"heed/")
    list(APPEND needs heed_commands)
  endif()
  if(text MATCHES "#include \"tests/autograd/op_table\\.h\"")
    list(APPEND needs heed_op_table)
  endif()
  if(text MATCHES "kProgramPath")
    list(APPEND needs heed_program)
  endif()
  if(text MATCHES "kExamplesPath")
    list(APPEND needs ${example_targets})
  endif()
  string(REGEX MATCHALL "tests/[a-z_/]+\\.h" helpers "${text}")
  list(REMOVE_ITEM helpers tests/paths.h)  # which names everything and needs nothing
  foreach(helper IN LISTS helpers)
    heed_add_needs(needs ${PROJECT_SOURCE_DIR}/${helper})
  endforeach()
  set(${variable} ${needs} PARENT_SCOPE)
endfunction()

# HEED_UNITE (with HEED_UNITE_TESTS) compiles the tests of a folder, and of the folders in it, as one, at most 12 files at once, in a third of the time:
# they share the headers that they include and what templates become. They are one program, and a link of each test's name runs
# the tests of its file (tests/main.cc). Alone are those that have sources or flags of their own, that other
# tests name, or that add to a registry of their program.
set(alone "^(cuda|(program_)?web)_|^(docs_add_an_op|emulated_blocks|examples|gemm[a-z0-9_]*|op_table|responder|watched_kernels)_test$")

# Adds a file to the program `target`, which is made with the first one.
function(heed_test_source target source)
  if(TARGET ${target})
    target_sources(${target} PRIVATE ${source})
    return()
  endif()
  add_executable(${target} ${source})
  if(source MATCHES ${optimised})
    heed_target(${target})
    target_precompile_headers(${target} REUSE_FROM heed_op_table)
  else()
    heed_test_target(${target})
    target_precompile_headers(${target} REUSE_FROM heed_test_main)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests UNITY_BUILD_BATCH_SIZE 0)
  target_link_libraries(${target} PRIVATE heed_test_main)
endfunction()

add_custom_target(heed_fast_tests)  # builds what `ctest -LE slow` runs, and heed_fast_tests_of_FOLDER what `ctest -LE slow -L of_FOLDER` runs
foreach(source IN LISTS test_sources)
  cmake_path(GET source STEM name)
  set(needs)
  heed_add_needs(needs ${source})
  list(REMOVE_DUPLICATES needs)
  set(program ${name})
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE folder)
  string(REGEX REPLACE "/.*" "" folder ${folder})
  set(labels of_${folder})
  if(HEED_UNITE AND HEED_UNITE_TESTS AND NOT folder STREQUAL "${name}.cc" AND NOT name MATCHES ${alone})
    math(EXPR number_${folder} "${number_${folder}} + 1")  # of the file in its folder
    math(EXPR part "(${number_${folder}} - 1) / 12")
    set(program tests_of_${folder}_${part})
    add_custom_target(${name} ALL)
  endif()
  heed_test_source(${program} ${source})
  if(NOT program STREQUAL name)
    set_target_properties(${program} PROPERTIES UNITY_BUILD ON)
    add_custom_command(TARGET ${program} POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink ${program} ${PROJECT_BINARY_DIR}/tests/${name})
    add_dependencies(${name} ${program})
  endif()
  if(name STREQUAL "examples_test")  # headers of examples have their data's place as a default
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS HEED_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endif()
  foreach(need IN LISTS needs)
    get_target_property(type ${need} TYPE)
    if(type MATCHES "LIBRARY$")
      target_link_libraries(${program} PRIVATE ${need})
    elseif(NOT CMAKE_CXX_CLANG_TIDY)  # a program that it runs; `make lint-changed` compiles a test alone
      add_dependencies(${name} ${need})
    endif()
  endforeach()
  add_test(NAME ${name} COMMAND ${PROJECT_BINARY_DIR}/tests/${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
  if(name MATCHES "_slow_test$")
    list(APPEND labels slow)
    set_tests_properties(${name} PROPERTIES COST 1)  # before the others, so that no core waits for one of them
  else()
    if(NOT TARGET heed_fast_tests_${labels})
      add_custom_target(heed_fast_tests_${labels})
      add_dependencies(heed_fast_tests heed_fast_tests_${labels})
    endif()
    add_dependencies(heed_fast_tests_${labels} ${name})
    if("heed_program" IN_LIST needs)
      list(APPEND labels program)
    endif()
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}")
endforeach()

if(TARGET emulator_test)
  add_dependencies(heed_fast_tests emulator_test emulator_example)
endif()

# NCCL of the tests, for machines without a GPU. What has it loaded opens it as libnccl.so.2.
if(HEED_HAVE_NCCL AND HEED_CUDA_BACKEND STREQUAL "emulate")
  add_library(heed_fake_nccl SHARED tests/nccl/fake_nccl.cc)
  heed_target(heed_fake_nccl)
  set_target_properties(heed_fake_nccl PROPERTIES OUTPUT_NAME nccl SOVERSION 2
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/nccl)
  target_include_directories(heed_fake_nccl PRIVATE tests/nccl)
  target_link_libraries(heed_fake_nccl PRIVATE heed_cuda)
  target_link_libraries(cuda_nccl_test PRIVATE -Wl,--no-as-needed heed_fake_nccl)
endif()

# The files of docs/add-an-op.md.
heed_glob(page_sources tests/docs/*/*/*.cc)
heed_glob(page_kernels tests/docs/*/*/*.cu)
if(HEED_CUDA_BACKEND STREQUAL "emulate")
  set_source_files_properties(${page_kernels} PROPERTIES LANGUAGE CXX)
elseif(NOT HEED_CUDA_BACKEND)
  set(page_kernels)
endif()
target_sources(docs_add_an_op_test PRIVATE ${page_sources} ${page_kernels})
target_include_directories(docs_add_an_op_test PRIVATE tests/docs)
target_compile_options(docs_add_an_op_test PRIVATE ${HEED_NVCC_OPTIONS}
                       $<$<COMPILE_LANGUAGE:CXX>:-Wno-unknown-pragmas>)  # it includes a kernel's .cc

# The CUDA kernels once more, of floats that report every access. Products are cuBLAS's.
if(HEED_CUDA_BACKEND STREQUAL "emulate")
  list(FILTER cuda_kernels EXCLUDE REGEX "/(gemm|recurrent_layer)\\.cu$")
  add_library(heed_watched_kernels OBJECT EXCLUDE_FROM_ALL ${cuda_kernels})
  heed_target(heed_watched_kernels)
  target_link_libraries(heed_watched_kernels PRIVATE heed_core)
  target_compile_options(heed_watched_kernels PRIVATE -include ${PROJECT_SOURCE_DIR}/tensor/cuda/watched_kernels.h)
  target_link_libraries(watched_kernels_test PRIVATE heed_watched_kernels)
endif()

# The kernels of each CPU level of the portable build, not only those of this machine's.
add_dependencies(heed_fast_tests heed_kernel_levels)
if("heed_kernels_v3" IN_LIST HEED_KERNEL_TARGETS)
  foreach(level baseline x86-64-v3 x86-64-v4)
    foreach(name op_table_test gemm_test)
      add_test(NAME ${name}_${level}
               COMMAND ${PROJECT_SOURCE_DIR}/tests/with_kernels.sh ${level} $<TARGET_FILE:${name}> --gtest_brief=1)
      set_tests_properties(${name}_${level} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
    endforeach()
  endforeach()
endif()

# A discarded op does not compile.
foreach(discard RANGE 15)
  add_test(NAME discarded_test_${discard} COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -Wall -Werror
           -DDISCARD=${discard} -I${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests/nn/discarded.cc)
  if(discard GREATER 0)
    set_tests_properties(discarded_test_${discard} PROPERTIES PASS_REGULAR_EXPRESSION "nodiscard|-Wunused-result")
  endif()
endforeach()

# A name that was mistyped is no success.
add_test(NAME no_such_test COMMAND op_table_test --gtest_filter=*no_such_op*)
set_tests_properties(no_such_test PROPERTIES PASS_REGULAR_EXPRESSION "no test matches")

# The Python package, with what Python has: without NumPy it is skipped, and parts of it without PyTorch or pandas.
find_program(HEED_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)  # the system's, whose packages the set-up installs
find_program(HEED_PYTHON python3)
if(HEED_PYTHON)
  add_test(NAME python_test COMMAND ${CMAKE_COMMAND} -E env HEED_PROGRAM=$<TARGET_FILE:heed_program> OMP_NUM_THREADS=1
           ${HEED_PYTHON} ${PROJECT_SOURCE_DIR}/python/tests/run.py)
  set_tests_properties(python_test PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
  # What the pages of docs/results print is what their kept results say.
  add_test(NAME experiment_tables_test COMMAND ${HEED_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/experiment_tables.py --check)
  add_test(NAME scripts_test COMMAND ${HEED_PYTHON} ${PROJECT_SOURCE_DIR}/tests/scripts/run.py)
endif()

# The course: its tool in Python, and what the labs promise. With a sanitizer only the checks themselves are run, on the
# reference.
if(HEED_LABS)
  if(HEED_SANITIZE)
    add_dependencies(heed_fast_tests heed_lab_programs)
    foreach(program IN LISTS HEED_LAB_PROGRAMS)
      add_test(NAME ${program}_test COMMAND ${program} --gtest_brief=1 --gtest_filter=Lab.*)
    endforeach()
  elseif(HEED_PYTHON)
    set(labs_test ${HEED_PYTHON} ${PROJECT_SOURCE_DIR}/tests/labs/run.py ${PROJECT_BINARY_DIR})
    add_test(NAME labs_test COMMAND ${labs_test})
    add_test(NAME labs_proofs_slow_test COMMAND ${labs_test} test_proofs)
    add_test(NAME labs_slips_slow_test COMMAND ${labs_test} test_slips)
    add_test(NAME labs_attacks_slow_test COMMAND ${labs_test} test_attacks test_hostile)
    add_test(NAME labs_from_scratch_slow_test COMMAND ${labs_test} test_from_scratch)
    set_tests_properties(labs_test labs_proofs_slow_test labs_slips_slow_test labs_attacks_slow_test
                         PROPERTIES LABELS "slow;labs" TIMEOUT 1800)
    set_tests_properties(labs_test PROPERTIES COST 2)  # first of them
    set_tests_properties(labs_slips_slow_test PROPERTIES TIMEOUT 5400)
    set_tests_properties(labs_from_scratch_slow_test PROPERTIES LABELS "slow;fresh" TIMEOUT 1800)
  endif()
endif()

if(NOT HEED_SANITIZE)
  add_test(NAME install COMMAND ${CMAKE_COMMAND}
           -D BUILD_DIR=${PROJECT_BINARY_DIR} -D CXX=${CMAKE_CXX_COMPILER}
           -P ${PROJECT_SOURCE_DIR}/tests/install/install_test.cmake)
  set_tests_properties(install PROPERTIES LABELS "slow;fresh" TIMEOUT 1800)
  # What `make demo` builds: the folders' sources as one, and the commands that are left out.
  add_test(NAME demo_build COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/demo_build
           --build-generator Ninja --build-target heed_program --build-options -DHEED_ALL_COMMANDS=OFF -DHEED_TESTS=OFF -DHEED_BENCH=OFF
           -DHEED_EXAMPLES=OFF -DHEED_WERROR=${HEED_WERROR} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} --test-command bin/heed show --limit 3 --test none
           --model ${PROJECT_SOURCE_DIR}/data/models/trained --data ${PROJECT_SOURCE_DIR}/data/ubuntu-sample)
  set_tests_properties(demo_build PROPERTIES LABELS "slow;fresh" TIMEOUT 1800)
endif()
