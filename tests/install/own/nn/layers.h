// Of the consumer, not of heed.
#pragma once

struct Layers {};
