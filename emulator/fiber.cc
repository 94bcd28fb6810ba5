#include "emulator/fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#ifdef __x86_64__
// Saves the registers that a function must preserve on this stack and restores them from another: a
// change of threads needs nothing else. The C library's swapcontext does the same and makes a
// system call, which takes twenty times as long.
extern "C" void emulator_switch_stacks(void** save_stack_pointer, void* new_stack_pointer);
asm(R"(
  .text
  .hidden emulator_switch_stacks
  .globl emulator_switch_stacks
  .type emulator_switch_stacks, @function
emulator_switch_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size emulator_switch_stacks, . - emulator_switch_stacks
)");
#endif

namespace emulator {
namespace {

constexpr size_t kBytes = size_t{256} << 10, kGuard = 4096;

Context outside;
Fiber* starting = nullptr;

// The sanitizer must be told about every change of stacks: before it, and on arrival.
void leave([[maybe_unused]] Context& from, [[maybe_unused]] const Context& to) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack, to.stack_bytes);
#endif
}
// `from` gets the bounds of its stack, which only the sanitizer knows for the outside.
void arrive([[maybe_unused]] Context& from, [[maybe_unused]] const Context& to) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(to.fake_stack, &from.stack, &from.stack_bytes);
#endif
}

// Stops here, goes on at `to`, and returns when somebody switches back.
void switch_context(Context& from, Context& to) {
  leave(from, to);
#ifdef __x86_64__
  emulator_switch_stacks(&from.stack_pointer, to.stack_pointer);
#else
  swapcontext(&from.registers, &to.registers);
#endif
  arrive(to, from);
}

// Makes a context that begins with main() on the empty stack.
void prepare(Context& context, void (*main)()) {
#ifdef __x86_64__
  const auto top = reinterpret_cast<uintptr_t>(context.stack) + context.stack_bytes;
  auto* const words = reinterpret_cast<uintptr_t*>(top) - 8;  // six registers,
  for (int i = 0; i < 8; ++i) words[i] = 0;
  words[6] = reinterpret_cast<uintptr_t>(main);  // the return address: nobody called main()
  context.stack_pointer = words;
#else
  getcontext(&context.registers);
  context.registers.uc_stack.ss_sp = const_cast<void*>(context.stack);
  context.registers.uc_stack.ss_size = context.stack_bytes;
  context.registers.uc_link = nullptr;
  makecontext(&context.registers, main, 0);
#endif
}

}  // namespace

Fiber::Fiber(void (*body)()) : body_(body) {
  stack_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack_ == MAP_FAILED) throw std::bad_alloc();
  mprotect(stack_, kGuard, PROT_NONE);  // an overflow stops at once
}

Fiber::~Fiber() {
  munmap(stack_, kBytes);
}

void Fiber::resume() {
  if (!begun_) begin();
  switch_context(outside, context_);
}

void Fiber::suspend() {
  switch_context(context_, outside);
}

void Fiber::begin() {
  begun_ = true;
  context_ = Context{};
  context_.stack = static_cast<char*>(stack_) + kGuard;
  context_.stack_bytes = kBytes - kGuard;
#ifdef __SANITIZE_ADDRESS__  // for abandoned fibers
  __asan_unpoison_memory_region(context_.stack, context_.stack_bytes);
#endif
  prepare(context_, &Fiber::main);
  starting = this;
}

void Fiber::main() {
  Fiber& self = *starting;
  arrive(outside, self.context_);
  for (;;) {
    self.body_();
    self.suspend();
  }
}

}  // namespace emulator
