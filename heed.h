// The framework in one include: tensors, differentiation, layers, optimisers. For programs that use
// heed; its own sources include what they need, so that a change rebuilds no more than it must.
// Who writes a kernel needs "tensor/dispatch.h" besides (docs/add-an-op.md).
#pragma once

#include "autograd/anomaly.h"
#include "autograd/attention_pairs.h"
#include "autograd/gradcheck.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "autograd/packing.h"
#include "autograd/var.h"
#include "nn/attention.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/lstm.h"
#include "nn/module.h"
#include "nn/safetensors.h"
#include "optim/ema.h"
#include "optim/optim.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "tensor/device.h"
#include "tensor/error.h"
#include "tensor/matrix.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"
