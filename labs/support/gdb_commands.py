"""Commands for gdb, which `labs/heed-lab debug` loads:

  tensor X        shape, type, norm and first elements of a heed::Tensor, of a Var's value, or of a GradientBuffer's sum
  backward-step   goes on to the next closure of a backward pass: its op, and shape and norm of the gradient that it takes

Memory is read, no function of the program is called: so they work wherever it stopped. Tensors of the CPU only."""
import math
import struct

import gdb

TYPES = {0: ("f32", "f", 4), 1: ("f64", "d", 8), 2: ("i32", "i", 4)}  # enum class DType, tensor/device.h
SHOWN = 8


def sizes(shape):
    return [int(shape["sizes_"]["_M_elems"][i]) for i in range(int(shape["rank_"]))]


def tensor_of(value):
    """The heed::Tensor that a value is or holds."""
    value = value.referenced_value() if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_PTR) else value
    name = str(value.type.strip_typedefs().unqualified())
    if name == "heed::Tensor":
        return value
    if name == "heed::Var":
        cell = value["cell_"]["_M_ptr"]
        return cell["value"] if int(cell) else value["value_"]
    if name == "heed::GradientBuffer":
        return value["total"]["dense"]
    if name == "heed::Gradient":
        return value["dense"]
    if name == "heed::Saved":
        return value["tensor_"]
    raise gdb.GdbError(f"tensor: a heed::Tensor, Var, Saved or GradientBuffer is asked for, got {name}")


def text_of(tensor):
    start = int(tensor["memory_"]["_M_ptr"])
    if not start:
        return "undefined"
    kind, letter, width = TYPES[int(tensor["dtype_"])]
    shape = sizes(tensor["shape_"])
    count = math.prod(shape)
    numbers = struct.unpack(f"{count}{letter}", gdb.selected_inferior().read_memory(start, count * width).tobytes()) if count else ()
    norm = math.sqrt(sum(float(x) * x for x in numbers))
    first = ", ".join(f"{x:.6g}" for x in numbers[:SHOWN]) + (", ..." if count > SHOWN else "")
    return f"{kind} ({', '.join(map(str, shape))})  norm {norm:.6g}  [{first}]"


class TensorCommand(gdb.Command):
    """tensor X: shape, type, norm and first elements of a tensor."""

    def __init__(self):
        super().__init__("tensor", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        print(text_of(tensor_of(gdb.parse_and_eval(argument))))


# Every closure takes its gradients by this function. At its first instruction `this` is in a register; where the result comes
# back in memory, as a Tensor does, x86-64 passes that address first.
TAKES = "*'heed::OutputGrads::take(int) const'"
THIS, OUTPUT = {"i386:x86-64": ("$rsi", "$edx"), "aarch64": ("$x0", "$w1")}.get(gdb.selected_inferior().architecture().name(), (None, None))


class BackwardStep(gdb.Command):
    """backward-step: go on to the next closure of a backward pass."""

    def __init__(self):
        super().__init__("backward-step", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if THIS is None:
            raise gdb.GdbError("backward-step: this processor's registers are not known")
        stop = gdb.Breakpoint(TAKES, internal=True, temporary=True)
        stop.silent = True
        gdb.execute("continue" if gdb.selected_thread() else "run", to_string=True)
        if stop.is_valid():  # the program ended, or stopped elsewhere
            stop.delete()
            print("no closure ran")
            return
        this = gdb.parse_and_eval(THIS).cast(gdb.lookup_type("heed::OutputGrads").pointer())
        node, output = this["node_"], int(gdb.parse_and_eval(OUTPUT))
        buffer = (node["outputs"]["_M_impl"]["_M_start"] + output).dereference()
        print(f"node {int(node['number'])}, {node['op']['_M_dataplus']['_M_p'].string()}: gradient {text_of(buffer['total']['dense'])}")


TensorCommand()
BackwardStep()
