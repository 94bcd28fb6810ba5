// For labs without a page.
#include "base/error.h"
#include "labs/support/explore.h"

LAB_SHOW() {
  throw UsageError("this lab has no page");
}
