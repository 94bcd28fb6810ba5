// Trains the structure "non-hier" on the sample dialogues. The model is in non_hier.h.
//
//   build/release/examples/non_hier --steps 2400 --attention-loss 1000
//
// Prints perplexity and DAS ratio on test dialogues with distractions; a DAS ratio of 1 means that
// the model looks at a distraction as much as at the other utterances.
#include "examples/non_hier.h"

#include "examples/dialogue_task.h"

int main(int argc, char** argv) {
  return examples::run_dialogue_example<examples::NonHier>(argc, argv, /*attention_loss=*/"1000");
}
