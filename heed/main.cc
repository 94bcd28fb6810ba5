// heed: trains LSTM dialogue models and measures where they look.
#include "heed/program.h"

int main(int argc, char** argv) {
  return heed::run_program(argc, argv);
}
