// Trains the structure "dynamic" on the sample dialogues. The model is in dynamic.h.
//
//   build/release/examples/dynamic --steps 2400 --attention-loss 10
//
// Prints perplexity and DAS ratio on test dialogues with distractions; a DAS ratio of 1 means that
// the model looks at a distraction as much as at the other utterances.
#include "examples/dynamic.h"

#include "examples/dialogue_task.h"

int main(int argc, char** argv) {
  return examples::run_dialogue_example<examples::Dynamic>(argc, argv, /*attention_loss=*/"10");
}
