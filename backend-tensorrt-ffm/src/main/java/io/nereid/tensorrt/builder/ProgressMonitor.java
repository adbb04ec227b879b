package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.IProgressMonitor_phaseFinish;
import io.nereid.tensorrt.bindings.nvinfer.IProgressMonitor_phaseStart;
import io.nereid.tensorrt.bindings.nvinfer.IProgressMonitor_stepComplete;
import io.nereid.tensorrt.bindings.nvinfer.trt_IProgressMonitor;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.UpcallTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * {@code nvinfer1::IProgressMonitor}, which TensorRT calls during a build, also from threads of its
 * own. It is closed after the builder that uses it.
 */
public final class ProgressMonitor implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final ProgressListener listener;
  private final MemorySegment monitor;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /**
   * @param listener its first exception ends the build and is kept as {@link #failure}
   */
  public ProgressMonitor(ProgressListener listener) {
    this.listener = listener;
    MemorySegment table = trt_IProgressMonitor.allocate(arena);
    UpcallTable.describe(table, "IProgressMonitor", arena);
    trt_IProgressMonitor.phaseStart(
        table, IProgressMonitor_phaseStart.allocate(this::phaseStart, arena));
    trt_IProgressMonitor.stepComplete(
        table, IProgressMonitor_stepComplete.allocate(this::stepComplete, arena));
    trt_IProgressMonitor.phaseFinish(
        table, IProgressMonitor_phaseFinish.allocate(this::phaseFinish, arena));
    monitor = UpcallTable.object(table, arena);
  }

  MemorySegment address() {
    return monitor;
  }

  /** What the listener has thrown first. */
  public Optional<Throwable> failure() {
    return Optional.ofNullable(failure.get());
  }

  /** An upcall: an exception that left it would end the process. */
  private void phaseStart(
      MemorySegment self, MemorySegment phase, MemorySegment parent, int steps) {
    try {
      listener.phaseStarted(text(phase), NativeObject.isNull(parent) ? null : text(parent), steps);
    } catch (Throwable thrown) {
      failure.compareAndSet(null, thrown);
    }
  }

  /** An upcall: an exception that left it would end the process. */
  private boolean stepComplete(MemorySegment self, MemorySegment phase, int step) {
    try {
      return listener.stepDone(text(phase), step) && failure.get() == null;
    } catch (Throwable thrown) {
      failure.compareAndSet(null, thrown);
      return false;
    }
  }

  /** An upcall: an exception that left it would end the process. */
  private void phaseFinish(MemorySegment self, MemorySegment phase) {
    try {
      listener.phaseFinished(text(phase));
    } catch (Throwable thrown) {
      failure.compareAndSet(null, thrown);
    }
  }

  private static String text(MemorySegment pointer) {
    return pointer.reinterpret(Long.MAX_VALUE).getString(0);
  }

  @Override
  public void close() {
    arena.close();
  }
}
