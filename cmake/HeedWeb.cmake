# heed chat --web: a page on the loopback address, served with cpp-httplib (Debian: libcpp-httplib-dev), of which
# heed/web/server.cc is the only user. Without it the option says how to get it.

heed_choice(HEED_WEB "AUTO: heed chat --web where cpp-httplib is found; ON: it must be; OFF: never" AUTO ON OFF)

# Sets HEED_HAVE_WEB, HEED_HTTPLIB_DEFINITIONS and HEED_HTTPLIB_LIBRARIES. Debian has a shared library of it and says in its .pc file what it
# was compiled with; elsewhere it may be one header.
function(heed_find_httplib)
  find_path(HEED_HTTPLIB_INCLUDE httplib.h)
  find_library(HEED_HTTPLIB_LIBRARY cpp-httplib)
  mark_as_advanced(HEED_HTTPLIB_INCLUDE HEED_HTTPLIB_LIBRARY)
  set(definitions)
  set(libraries Threads::Threads)
  if(HEED_HTTPLIB_LIBRARY)
    list(APPEND libraries ${HEED_HTTPLIB_LIBRARY})
    cmake_path(GET HEED_HTTPLIB_LIBRARY PARENT_PATH folder)
    if(EXISTS ${folder}/pkgconfig/cpp-httplib.pc)
      file(STRINGS ${folder}/pkgconfig/cpp-httplib.pc flags REGEX "^Cflags:")
      string(REGEX MATCHALL "CPPHTTPLIB_[A-Z_]+" definitions "${flags}")
    endif()
  endif()
  if(HEED_HTTPLIB_INCLUDE)
    list(TRANSFORM definitions PREPEND -D OUTPUT_VARIABLE CMAKE_REQUIRED_DEFINITIONS)
    set(CMAKE_REQUIRED_INCLUDES ${HEED_HTTPLIB_INCLUDE})
    set(CMAKE_REQUIRED_LIBRARIES ${libraries})
    check_cxx_source_compiles("
      #include <httplib.h>
      struct Server : httplib::Server {
        bool process_and_close_socket(socket_t) override {
          bool closed = false;
          httplib::Stream* stream = nullptr;
          return process_request(*stream, true, closed, nullptr);
        }
      };
      struct Workers : httplib::TaskQueue {
        void enqueue(std::function<void()> f) override { f(); }
        void shutdown() override {}
      };
      int main() { Workers workers; return Server().is_running(); }" HEED_HTTPLIB_FITS)
  endif()
  set(HEED_HAVE_WEB ${HEED_HTTPLIB_FITS} PARENT_SCOPE)
  if(NOT HEED_HTTPLIB_FITS)
    if(HEED_WEB STREQUAL "ON")
      message(FATAL_ERROR "HEED_WEB=ON: no cpp-httplib of a version that fits (0.11) is found; install libcpp-httplib-dev")
    endif()
    return()
  endif()
  set(HEED_HTTPLIB_DEFINITIONS ${definitions} PARENT_SCOPE)
  set(HEED_HTTPLIB_LIBRARIES ${libraries} PARENT_SCOPE)
endfunction()

set(HEED_HAVE_WEB OFF)
if(NOT HEED_WEB STREQUAL "OFF")
  heed_find_httplib()
endif()
