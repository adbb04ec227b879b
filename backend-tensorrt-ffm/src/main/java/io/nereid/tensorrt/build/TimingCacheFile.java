package io.nereid.tensorrt.build;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The file with the timings of kernels on a kind of GPU, beside the plans. All builds for that kind
 * share it.
 */
record TimingCacheFile(PlanCache cache, String name, byte[] hash) {
  static TimingCacheFile of(PlanCache cache, Gpu gpu, PlanKey.Toolchain toolchain) {
    byte[] hash =
        Hashes.sha256()
            .digest("%s %s".formatted(gpu.name(), toolchain).getBytes(StandardCharsets.UTF_8));
    return new TimingCacheFile(cache, HexFormat.of().formatHex(hash, 0, 16) + ".timing", hash);
  }

  Optional<MemorySegment> read(Arena arena) {
    return cache.read(name, hash, arena);
  }

  void write(MemorySegment content) {
    cache.write(name, hash, content);
  }
}
