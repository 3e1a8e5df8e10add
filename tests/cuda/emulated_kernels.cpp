// All kernel sources, for the emulated device.
#include "cuda/attention.cu"
#include "cuda/device_probe.cu"
#include "cuda/head.cu"
#include "cuda/layer.cu"
#include "cuda/linear.cu"
#include "cuda/sequence.cu"
