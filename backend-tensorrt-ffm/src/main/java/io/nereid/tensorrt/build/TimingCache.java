package io.nereid.tensorrt.build;

import io.nereid.tensorrt.builder.BuilderConfig;
import io.nereid.tensorrt.builder.HostMemory;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.TensorRtException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The timing cache of a builder, which makes later builds faster. A build does without it if it
 * fails. It is closed after the builder.
 */
final class TimingCache implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(TimingCache.class.getName());

  private final TimingCacheFile file;
  private @Nullable NativeObject cache;

  TimingCache(TimingCacheFile file) {
    this.file = file;
  }

  /**
   * Has a build use the timings of the builds before, or those of the file; if TensorRT refuses
   * these, it begins without any.
   */
  void attach(BuilderConfig config) {
    if (cache != null) {
      if (!config.setTimingCache(cache)) {
        LOG.log(Level.INFO, "the timings of the build before are not used");
      }
      return;
    }
    try (var arena = Arena.ofConfined()) {
      MemorySegment content = file.read(arena).orElse(MemorySegment.NULL);
      boolean attached = attach(config, content);
      if (!attached && content.byteSize() > 0) {
        attach(config, MemorySegment.NULL);
      }
    }
  }

  private boolean attach(BuilderConfig config, MemorySegment content) {
    try {
      NativeObject created = config.createTimingCache(content);
      if (config.setTimingCache(created)) {
        cache = created;
        return true;
      }
      created.close();
      LOG.log(Level.INFO, "timing cache ''{0}'' is of another device and is not used", file.name());
    } catch (TensorRtException refused) {
      LOG.log(
          Level.INFO, "timing cache ''{0}'' is not used: {1}", file.name(), refused.getMessage());
    }
    return false;
  }

  /** Writes the timings after a build. */
  void save(BuilderConfig config) {
    if (cache == null) {
      return;
    }
    try (HostMemory content = config.serializeTimingCache()) {
      file.write(content.bytes());
    } catch (TensorRtException failure) {
      LOG.log(Level.WARNING, "timings of kernels are not kept: {0}", failure.getMessage());
    }
  }

  @Override
  public void close() {
    if (cache != null) {
      cache.close();
    }
  }
}
