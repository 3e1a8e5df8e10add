#!/usr/bin/env bash
# Puts into FOLDER (default: gpu-bundle, which git ignores) what a machine needs that has a GPU and its driver and nothing
# else, no network either: the checks of the kernels and the bench of passes, built here, and `run`, which runs both.
#
#   tools/gpu_bundle.sh [FOLDER]      here, after `make build`
#   FOLDER/run [RESULTS]              there; what it prints also goes to RESULTS/gpu.log
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-gpu-bundle}
check=build/tests/cuda/cuda_device_check
bench=build/bench/gpu_bench
for program in "$check" "$bench"; do
  [ -x "$program" ] || { echo "gpu_bundle: $program is not built: \`make build\` with nvcc (tools/setup.py cuda)" >&2; exit 1; }
done
mkdir -p "$folder"
strip -o "$folder/cuda_device_check" "$check"
strip -o "$folder/gpu_bench" "$bench"
cat > "$folder/run" <<'RUN'
#!/usr/bin/env bash
# Made by tools/gpu_bundle.sh.
set -uo pipefail
cd "$(dirname "$0")"
log=${1:-.}/gpu.log
{
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
  ./cuda_device_check || exit 1
  for size in 1.5b 7b; do
    for format in BF16 Q4_K; do ./gpu_bench "$size" "$format" || exit 1; done
  done
} 2>&1 | tee "$log"
RUN
chmod +x "$folder/run"
echo "$folder: $(du -sh "$folder" | cut -f1); carry it to the machine and start run"
