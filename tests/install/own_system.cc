// heed with a system that is added to it, from what is installed.
#include "dialog/length_system.h"
#include "heed/program.h"

int main(int argc, char** argv) {
  heed::register_system(length::system());
  return heed::run_program(argc, argv);
}
