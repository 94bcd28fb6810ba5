#include "nn/layers.h"  // the consumer's own

#include <heed/heed.h>

Layers own;
heed::Linear* of_heed = nullptr;
