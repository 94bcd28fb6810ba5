// Ranks on one or several machines that a launcher has started: mpirun (Open MPI, MPICH) or srun
// (Slurm). They communicate by MPI.
#pragma once

#include <string>

#include "train/ranks.h"

namespace heed {

// The launcher's ranks, the same at every call. Null if no launcher has started this process; MPI
// is not initialised in that case. Throws UsageError if a launcher has started several processes
// and this heed was built without MPI.
Ranks* launched_ranks();

// For main(), as a prefix of an error message: "rank 3 of 8 on HOST: "; empty if no launcher has
// started the process. Rank 0 reports an error that all ranks find: the others wait a moment for
// it.
std::string failing_rank();
// For main(), at the end. An exit code other than 0 ends the other ranks too.
void end_launched_ranks(int code);

std::string mpi_version();  // "Open MPI v4.1.4"; empty if heed was built without MPI

}  // namespace heed
