// The program as a function, for programs that add something to it: a response model of their own
// (docs/add-a-model.md).
#pragma once

namespace heed {

// Runs the command that main() was given, and returns the exit code: 0, 1 where it failed, 2 where
// it was not understood.
int run_program(int argc, char** argv);

}  // namespace heed
