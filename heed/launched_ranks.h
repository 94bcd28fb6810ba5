// Ranks on one or several machines that a launcher has started: mpirun (Open MPI, MPICH) or srun
// (Slurm). They talk by MPI.
#pragma once

#include <string>

#include "train/ranks.h"

namespace heed {

// The launcher's ranks, the same at every call; null where no launcher has started this process:
// then MPI is not begun either. Throws UsageError where one has started several and this heed was
// built without MPI.
Ranks* launched_ranks();

// For main(), before the process says why it fails: "rank 3 of 8 on HOST: ", empty where no
// launcher has started it. What all ranks find wrong rank 0 says: the others wait a moment for it.
std::string failing_rank();
// For main(), at the end: with another code than 0 it ends the other ranks too.
void end_launched_ranks(int code);

std::string mpi_version();  // "Open MPI v4.1.4", empty where heed was built without MPI

}  // namespace heed
