// longjmp changes stacks here, which the checked one of _FORTIFY_SOURCE refuses.
#undef _FORTIFY_SOURCE
#include "tensor/cuda/fiber.h"

#include <sys/mman.h>
#include <ucontext.h>

#include "tensor/error.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace heed::emulate {
namespace {

constexpr size_t kBytes = size_t{256} << 10, kGuard = 4096;

Context outside;
Fiber* starting = nullptr;

// The sanitizer must hear of every change of stacks: before it, and on arrival.
void leave([[maybe_unused]] Context& from, [[maybe_unused]] const Context& to) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack, to.stack_bytes);
#endif
}
// `from` learns the bounds of its stack, which for the outside only the sanitizer knows.
void arrive([[maybe_unused]] Context& from, [[maybe_unused]] const Context& to) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(to.fake_stack, &from.stack, &from.stack_bytes);
#endif
}

// Stops here, goes on at `to`, and returns when somebody switches back. swapcontext would do the
// same with a system call each time, which takes ten times as long.
void switch_context(Context& from, Context& to) {
  leave(from, to);
  if (!_setjmp(from.registers)) _longjmp(to.registers, 1);
  arrive(to, from);
}

}  // namespace

Fiber::Fiber(void (*body)()) : body_(body) {
  stack_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack_ == MAP_FAILED) throw DeviceError("emulated CUDA: no memory for a thread's stack");
  mprotect(stack_, kGuard, PROT_NONE);  // an overflow stops at once
}

Fiber::~Fiber() {
  munmap(stack_, kBytes);
}

void Fiber::resume() {
  if (begun_) {
    switch_context(outside, context_);
  } else {
    begin();
  }
}

void Fiber::suspend() {
  switch_context(context_, outside);
}

// longjmp can only go where setjmp was; the first step onto a new stack takes a ucontext.
void Fiber::begin() {
  begun_ = true;
  context_ = Context{};
  context_.stack = static_cast<char*>(stack_) + kGuard;
  context_.stack_bytes = kBytes - kGuard;
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(context_.stack, context_.stack_bytes);
#endif
  ucontext_t first;
  getcontext(&first);
  first.uc_stack.ss_sp = const_cast<void*>(context_.stack);
  first.uc_stack.ss_size = context_.stack_bytes;
  first.uc_link = nullptr;
  makecontext(&first, &Fiber::main, 0);
  starting = this;
  leave(outside, context_);
  if (!_setjmp(outside.registers)) setcontext(&first);
  arrive(context_, outside);
}

void Fiber::main() {
  Fiber& self = *starting;
  arrive(outside, self.context_);
  for (;;) {
    self.body_();
    self.suspend();
  }
}

}  // namespace heed::emulate
