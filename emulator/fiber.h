// A function that can stop in the middle and continue later, on a stack of its own.
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace emulator {

// The point where a fiber has stopped and can be continued.
struct Context {
#ifdef __x86_64__
  void* stack_pointer = nullptr;  // everything else is on the stack
#else
  ucontext_t registers;
#endif
  const void* stack = nullptr;
  size_t stack_bytes = 0;
  void* fake_stack = nullptr;  // the address sanitizer's, for variables whose scope has ended
};

// Runs body() repeatedly, each time until it returns or calls suspend(). One thread of the CPU owns
// all fibers; only code outside of fibers may resume one.
class Fiber {
 public:
  // Throws std::bad_alloc if there is no memory for the stack.
  explicit Fiber(void (*body)());
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void resume();                     // from outside
  void suspend();                    // from body()
  void forget() { begun_ = false; }  // the next resume() begins body() from its start

 private:
  void begin();
  static void main();

  void (*body_)();
  void* stack_;
  Context context_;
  bool begun_ = false;
};

}  // namespace emulator
