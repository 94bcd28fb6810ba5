# What of the Makefile a handout has.
.DEFAULT_GOAL := help
.PHONY: help lab grade

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | \
	  while IFS="$$(printf '\t')" read -r name text; do printf '  make %-13s%s\n' "$$name" "$$text"; done

N ?= 0
lab:  ## Judge what you wrote for a lab (N=2); labs/heed-lab has more
	@scripts/setup.sh lab
	@labs/heed-lab test $(N)

grade:  ## Points of what you wrote for a lab (N=2), with seeds that you do not see
	@scripts/setup.sh lab
	@labs/heed-lab grade $(N)
