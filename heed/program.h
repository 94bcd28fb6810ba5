// The program as a function, for programs that add to it, such as a response model of their own
// (docs/add-a-model.md).
#pragma once

namespace heed {

// Runs the command line of main(). Returns the exit code: 0; 1 if the command failed; 2 if the
// command line is wrong.
int run_program(int argc, char** argv);

}  // namespace heed
