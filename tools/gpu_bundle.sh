#!/usr/bin/env bash
# Collects in FOLDER (default: gpu-bundle, which git ignores) everything needed on a machine with
# only a GPU and its driver, without a network: the checks of kernels and models and the bench of
# passes, built here, and `run`, which runs both.
#
#   tools/gpu_bundle.sh [FOLDER]      here, after `make build`
#   FOLDER/run [RESULTS]              there; its output also goes to RESULTS/gpu.log
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-gpu-bundle}
mkdir -p "$folder"
for program in tests/cuda/cuda_device_check tests/cuda/cuda_device_test bench/gpu_bench; do
  [ -x "build/$program" ] || { echo "gpu_bundle: build/$program is not built: \`make build\` with nvcc (tools/setup.py cuda)" >&2; exit 1; }
  strip -o "$folder/${program##*/}" "build/$program"
done
cat > "$folder/run" <<'RUN'
#!/usr/bin/env bash
# Made by tools/gpu_bundle.sh.
set -uo pipefail
cd "$(dirname "$0")"
log=${1:-.}/gpu.log
{
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
  ./cuda_device_check || exit 1
  ./cuda_device_test --gtest_brief=1 || exit 1
  # The peak of the matrix units, if torch is installed.
  python3 - <<'PYTHON' 2> /dev/null || echo "no torch here: the matrix peak is not measured"
import time, torch
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
for _ in range(3): a @ a
torch.cuda.synchronize()
start = time.perf_counter()
for _ in range(20): a @ a
torch.cuda.synchronize()
print(f"bfloat16 matrix product of 8192: {20 * 2 * 8192**3 / (time.perf_counter() - start) * 1e-12:.0f} TFLOP/s")
PYTHON
  for size in 1.5b 7b; do
    for format in BF16 Q4_K; do ./gpu_bench "$size" "$format" || exit 1; done
  done
} 2>&1 | tee "$log"
RUN
chmod +x "$folder/run"
echo "$folder: $(du -sh "$folder" | cut -f1); carry it to the machine and start run"
