package io.nereid.server.metrics.gpu;

import java.util.Optional;

/**
 * The values of one GPU at one time. A value that could not be read is empty.
 *
 * @param uuid such as {@code GPU-…}; of the whole GPU where it is partitioned (MIG)
 * @param powerLimitMilliwatts the limit that is enforced
 * @param energyMillijoules since the first reading; never decreases
 * @param utilizationPercent the share of NVML's last sample period in which a kernel ran, 0 to 100
 * @param usedBytes of memory, without what the driver reserves if it tells that apart
 */
public record GpuReading(
    String uuid,
    Optional<Long> powerMilliwatts,
    Optional<Long> powerLimitMilliwatts,
    Optional<Long> energyMillijoules,
    Optional<Long> utilizationPercent,
    Optional<Long> totalBytes,
    Optional<Long> usedBytes) {}
