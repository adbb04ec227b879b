/**
 * The metrics of GPUs: what NVIDIA's management library (NVML) reports, read by one platform
 * thread. Knows neither models nor backends. Read {@link
 * io.nereid.server.metrics.gpu.GpuMetricsRunner} first.
 */
@NullMarked
package io.nereid.server.metrics.gpu;

import org.jspecify.annotations.NullMarked;
