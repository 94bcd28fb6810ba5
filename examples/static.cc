// Trains the structure "static" on the sample dialogues. The model is in static.h.
//
//   build/release/examples/static --steps 2400 --attention-loss 3
//
// Prints perplexity and DAS ratio on test dialogues with distractions; a DAS ratio of 1 means that
// the model looks at a distraction as much as at the other utterances.
#include "examples/static.h"

#include "examples/dialogue_task.h"

int main(int argc, char** argv) {
  return examples::run_dialogue_example<examples::Static>(argc, argv, /*attention_loss=*/"3");
}
