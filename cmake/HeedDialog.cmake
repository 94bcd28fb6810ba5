# libheed_dialog.a, the dialogue models and the experiments, and the program. They need zlib, utf8proc, Eigen, nlohmann-json and CLI11.

heed_glob(dialog_sources train/*.cc dialog/*.cc dialog/*/*.cc dialog/*/*/*.cc experiments/*.cc experiments/*/*.cc experiments/*/*/*.cc)
if(NOT HEED_ALL_COMMANDS)
  if(HEED_TESTS OR HEED_EXAMPLES OR HEED_FUZZ)
    message(FATAL_ERROR "HEED_ALL_COMMANDS=OFF: tests, examples and fuzz programs need them; turn these off too")
  endif()
  # The folder of every system but respond.
  file(GLOB systems RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS dialog/*/system.cc)
  list(TRANSFORM systems REPLACE "system.cc$" "")
  list(REMOVE_ITEM systems dialog/respond/)
  list(JOIN systems "|" systems)
  list(FILTER dialog_sources EXCLUDE REGEX
       "/(experiments/|${systems}|dialog/(describe|people|probe|stats)/|dialog/(respond/(distracted_dialogues|policy|step_times|verify)|view/curve[a-z_]*)[.])")
  list(APPEND dialog_sources ${PROJECT_SOURCE_DIR}/experiments/compare/compare_models.cc  # of heed compare
       ${PROJECT_SOURCE_DIR}/experiments/engine/report/estimate_json.cc ${PROJECT_SOURCE_DIR}/experiments/engine/stats/statistics.cc ${PROJECT_SOURCE_DIR}/experiments/engine/report/table.cc)
endif()
# The models that respond, and what they stand on, are objects of their own: labs wait for no others.
set(responding_sources ${dialog_sources})
list(FILTER responding_sources INCLUDE REGEX "/(train|dialog/(text|data|parts|respond)(/[^/]+)?)/[^/]+$|/dialog/system.cc$")
list(REMOVE_ITEM dialog_sources ${responding_sources})
add_library(heed_responding OBJECT ${responding_sources})
heed_target(heed_responding)
set_target_properties(heed_responding PROPERTIES POSITION_INDEPENDENT_CODE ON)
heed_embed(heed_responding dialog/text/page.css page_style.inc)
target_link_libraries(heed_responding PRIVATE heed_core ZLIB::ZLIB nlohmann_json::nlohmann_json)
target_precompile_headers(heed_responding REUSE_FROM heed_core)
heed_unite(heed_responding)
heed_library(dialog ${dialog_sources} $<TARGET_OBJECTS:heed_responding>)
set_source_files_properties(dialog/systems.cc PROPERTIES COMPILE_DEFINITIONS "HEED_ALL_SYSTEMS=$<BOOL:${HEED_ALL_COMMANDS}>")
if(HEED_ALL_COMMANDS)
  find_path(HEED_UTF8PROC_INCLUDE utf8proc.h REQUIRED)
  find_library(HEED_UTF8PROC_LIBRARY utf8proc REQUIRED)
  target_include_directories(heed_dialog SYSTEM PRIVATE ${HEED_UTF8PROC_INCLUDE})
  target_link_libraries(heed_dialog PRIVATE ${HEED_UTF8PROC_LIBRARY})
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)  # factors and eigenvectors of matrices
  target_link_libraries(heed_dialog PRIVATE $<BUILD_INTERFACE:Eigen3::Eigen>)
endif()
heed_embed(heed_dialog data/paper-tables.json paper_tables.inc)
heed_embed(heed_dialog experiments/engine/report/page.js page_script.inc)
# experiments/NAME/report.json and experiments/generators/NAME.json: #include "NAME_report.inc"
file(GLOB reports RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS experiments/*/report.json experiments/generators/*.json)
foreach(report ${reports})
  string(REGEX REPLACE "^experiments/(generators/)?([^/]+)(/report)?[.]json$" "\\2_report.inc" name ${report})
  heed_embed(heed_dialog ${report} ${name})
endforeach()
heed_embed(heed_dialog data/probe-tasks.json probe_tasks.inc)
heed_embed(heed_dialog data/adversarial-evaluation.json adversarial_evaluation.inc)
target_link_libraries(heed_dialog PUBLIC heed_core PRIVATE ZLIB::ZLIB
                      $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
target_precompile_headers(heed_dialog REUSE_FROM heed_core)
heed_unite(heed_dialog)

add_library(heed INTERFACE)  # both
target_link_libraries(heed INTERFACE heed_core heed_dialog)
add_library(heed::heed ALIAS heed)

# ---- the program --------------------------------------------------------------------------------

include(cmake/HeedWeb.cmake)
heed_glob(program_sources heed/*.cc heed/web/*.cc)
list(REMOVE_ITEM program_sources ${PROJECT_SOURCE_DIR}/heed/main.cc)
if(HEED_HAVE_WEB)
  list(REMOVE_ITEM program_sources ${PROJECT_SOURCE_DIR}/heed/web/serve_none.cc)
else()
  list(FILTER program_sources EXCLUDE REGEX "/heed/web/(gate|live_api|serve|server)[.]cc$")
endif()
if(HEED_ALL_COMMANDS)
  list(REMOVE_ITEM program_sources ${PROJECT_SOURCE_DIR}/heed/commands_left_out.cc)
else()
  list(FILTER program_sources EXCLUDE REGEX
       "/heed/(annotate|bench|card|diff|discriminat|distract|encode|features|generate|info|judge|log|plot|pool[.]|prepare_(carryover|labels)|pretrained|probe|rank[.]|rank_(lists|scores)|report|reproduce|rerank|sweep|verify|watch|work)[^/]*$")
endif()
add_library(heed_commands ${HEED_LIBRARY_TYPE} ${program_sources})  # all but main(), for the fuzz programs too
heed_target(heed_commands)
target_link_libraries(heed_commands PUBLIC heed $<BUILD_INTERFACE:CLI11::CLI11> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
target_compile_definitions(heed_commands PUBLIC $<BUILD_INTERFACE:HEED_VERSION="${PROJECT_VERSION}">)
heed_embed_commit(heed_commands)
if(HEED_HAVE_WEB)
  heed_embed(heed_commands heed/web/page.html web_page.inc)
  heed_embed(heed_commands heed/web/page.js web_script.inc)
  target_include_directories(heed_commands SYSTEM PRIVATE ${HEED_HTTPLIB_INCLUDE})
  set_source_files_properties(heed/web/server.cc PROPERTIES COMPILE_DEFINITIONS "${HEED_HTTPLIB_DEFINITIONS}")
  target_link_libraries(heed_commands PRIVATE ${HEED_HTTPLIB_LIBRARIES})
endif()
include(cmake/HeedMpi.cmake)
# Most of the time to compile a sub-command goes into these two headers. The whole of CLI.hpp would add
# CLI11's printing of help and its config files to every one of them, so only app.cc includes that.
target_precompile_headers(heed_commands PRIVATE <CLI/App.hpp> <nlohmann/json.hpp>)
heed_unite(heed_commands)
add_executable(heed_program heed/main.cc)
heed_target(heed_program)
set_target_properties(heed_program PROPERTIES OUTPUT_NAME heed)
target_link_libraries(heed_program PRIVATE heed_commands)
