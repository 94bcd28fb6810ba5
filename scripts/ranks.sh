#!/usr/bin/env bash
# Trains one small model with 1, 2 and 4 ranks of MPI, and with forked ones, and compares all their files byte by
# byte. RUNS=DIR stores the runs elsewhere; MPIRUN=... starts ranks in another way ("srun -n", "mpirun --hosts a,b -n").
set -euo pipefail
cd "$(dirname "$0")/.."
heed=build/release/bin/heed
runs=${RUNS:-$(mktemp -d)}
[[ -n ${RUNS:-} ]] || trap 'rm -rf "$runs"' EXIT
mpirun=${MPIRUN:-mpirun --oversubscribe --allow-run-as-root -n}

train=(train --data data/ubuntu-sample --preset smoke --limit 400 --epochs 2 --insert-prob 0.7 --threads 1)
for ranks in 1 2 4; do
  "$heed" "${train[@]}" --out "$runs/forked-$ranks" --ranks "$ranks"
  if "$heed" --version | grep -q "no MPI"; then
    echo "this heed was built without MPI: only forked ranks"
  else
    $mpirun "$ranks" "$heed" "${train[@]}" --out "$runs/mpi-$ranks"
  fi
done
for run in "$runs"/*-*; do
  for file in model.safetensors log.jsonl state.json checkpoint-2-0.safetensors; do
    cmp "$runs/forked-1/$file" "$run/$file"
  done
  echo "$(basename "$run"): the same bytes as forked-1"
done
