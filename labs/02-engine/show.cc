// The page of lab 2: only ops that no lab cuts.
#include "autograd/ops.h"
#include "labs/02-engine/story.h"
#include "labs/support/check.h"

// Bumps exp(-(x w + b)^2), weighed by v, fitted to a target. w is used twice: by the bumps, and by
// the penalty for large weights.
LAB_SHOW() {
  constexpr int64_t kRows = 512, kCols = 256;
  heed::lab::Draw draw;
  const Var x(draw.normal({kRows, kCols})), target(draw.normal({kRows, kCols}));
  heed::lab::Story story;
  const Var w = story("w", Var::parameter(draw.normal({kCols}))),
            b = story("b", Var::parameter(draw.normal({kCols}))),
            v = story("v", Var::parameter(draw.normal({kCols})));
  Var at = story("x w", mul(x, w));
  at = story("x w + b", add(at, b));
  Var bump = story("its square", square(at));
  at = Var();  // from here on the graph alone holds values
  bump = story("negated", neg(bump));
  bump = story("the bump", exp(bump));
  Var y = story("y", mul(bump, v));
  bump = Var();
  Var error = story("error", sub(y, target));
  y = Var();
  error = story("squared error", square(error));
  error = story("their sum", sum(error));
  const Var large = story("w squared", square(w)), penalty = story("penalty", sum(large));
  const Var loss = story("loss", add(error, penalty));
  error = Var();
  story.play("A layer of bumps, and its loss", loss);
}
