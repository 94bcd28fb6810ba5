// For labs without a page.
#include "labs/support/explore.h"
#include "tensor/error.h"

LAB_SHOW() {
  throw UsageError("this lab has no page");
}
