package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.ILogger_log;
import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import io.nereid.tensorrt.bindings.nvinfer.trt10_ILogger;
import io.nereid.tensorrt.bindings.nvinfer.trt11_ILogger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The logger that TensorRT writes to: {@code nvinfer1::ILogger}. There is one in a process, which
 * is never freed, because the library keeps the pointer. Any thread calls it, also threads that
 * TensorRT started.
 *
 * <p>TensorRT reports a failure as null or false and explains it with log lines of the same thread.
 * A caller clears them before a call and reads them after a failure. All are kept, since the first
 * one can be the one that helps: without a driver, "CUDA initialization failure with error: 35" is
 * followed by a line that only names a place in TensorRT's source.
 */
final class TensorRtLogger {
  private static final System.Logger LOG = System.getLogger("io.nereid.tensorrt");
  private static final TensorRtLogger INSTANCE = new TensorRtLogger();

  /** What a thread keeps at most; some threads never clear. */
  private static final int MAX_ERROR_LENGTH = 2000;

  /** The last error lines of a thread. */
  private static final class LastError {
    @Nullable String lines;

    void add(String line) {
      if (lines == null) {
        lines = line;
      } else if (lines.length() + line.length() <= MAX_ERROR_LENGTH) {
        lines += "; " + line;
      }
    }
  }

  /**
   * A {@code ThreadLocal}, since the two sides of an upcall share nothing but their thread. Threads
   * of TensorRT have an entry until they end.
   */
  private final ThreadLocal<LastError> lastErrors = ThreadLocal.withInitial(LastError::new);

  private final AtomicLong lost = new AtomicLong();
  private final MemorySegment logger10;
  private final MemorySegment logger11;

  private TensorRtLogger() {
    Arena arena = Arena.global();
    MemorySegment log = ILogger_log.allocate(this::log, arena);
    MemorySegment table10 = trt10_ILogger.allocate(arena);
    trt10_ILogger.log(table10, log);
    trt10_ILogger.completeDestructor(table10, UpcallTable.noDestructor(arena));
    trt10_ILogger.deletingDestructor(table10, UpcallTable.noDestructor(arena));
    logger10 = UpcallTable.object(table10, arena);
    MemorySegment table11 = trt11_ILogger.allocate(arena);
    UpcallTable.describe(table11, "ILogger", arena);
    trt11_ILogger.log(table11, log);
    logger11 = UpcallTable.object(table11, arena);
  }

  static TensorRtLogger instance() {
    return INSTANCE;
  }

  /** The native object, in the form that TensorRT {@code version} expects. */
  MemorySegment address(TensorRtVersion version) {
    return version.major() == 10 ? logger10 : logger11;
  }

  /** Forgets the last error of this thread. */
  void clear() {
    lastErrors.get().lines = null;
  }

  /** TensorRT's error lines on this thread since {@link #clear}; null if there is none. */
  @Nullable String lastError() {
    return lastErrors.get().lines;
  }

  /** The number of lines that could not be logged. */
  long lost() {
    return lost.get();
  }

  /** The upcall. An exception that left it would end the process. */
  private void log(MemorySegment self, int severity, MemorySegment message) {
    try {
      Level level = level(severity);
      if (level == Level.ERROR || LOG.isLoggable(level)) {
        // "A null-terminated log message" (NvInferRuntime.h, ILogger::log)
        String line = message.reinterpret(Long.MAX_VALUE).getString(0).strip();
        if (level == Level.ERROR) {
          lastErrors.get().add(line);
        }
        LOG.log(level, "TensorRT: {0}", line);
      }
    } catch (Throwable _) {
      lost.incrementAndGet(); // of whatever kind: memory or a handler of the log
    }
  }

  private static Level level(int severity) {
    if (severity <= Nvinfer.kERROR()) {
      return Level.ERROR;
    }
    if (severity == Nvinfer.kWARNING()) {
      return Level.WARNING;
    }
    return severity == Nvinfer.kINFO() ? Level.INFO : Level.DEBUG;
  }
}
