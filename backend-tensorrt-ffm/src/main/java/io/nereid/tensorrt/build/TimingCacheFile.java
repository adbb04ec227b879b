package io.nereid.tensorrt.build;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The file with the timings of kernels on a kind of GPU, beside the plans. All builds for that kind
 * share it.
 *
 * @param kind of GPU and software, for which the timings hold
 */
record TimingCacheFile(PlanCache cache, String kind) {
  static TimingCacheFile of(PlanCache cache, Gpu gpu, PlanKey.Toolchain toolchain) {
    return new TimingCacheFile(
        cache, "%s %s %s".formatted(gpu.name(), gpu.computeCapability(), toolchain));
  }

  String name() {
    return HexFormat.of().formatHex(hash(), 0, 16) + ".timing";
  }

  private byte[] hash() {
    return Hashes.sha256().digest(kind.getBytes(StandardCharsets.UTF_8));
  }

  Optional<MemorySegment> read(Arena arena) {
    return cache.read(name(), hash(), arena);
  }

  void write(MemorySegment content) {
    cache.write(name(), hash(), content);
  }
}
