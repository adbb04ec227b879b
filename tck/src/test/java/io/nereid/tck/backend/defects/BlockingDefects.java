package io.nereid.tck.backend.defects;

import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.Results;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Calls that wait and must not. */
final class BlockingDefects {
  private BlockingDefects() {}

  private static void pauseFor(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** A model that executes under a lock. */
  private static class Locking extends Specimen {
    @Override
    synchronized void execute(Batch batch, Results results) {
      super.execute(batch, results);
    }
  }

  static List<Planted> all() {
    return List.of(
        Planted.of(
            "THREAD-02",
            "takes the lock of execute in isHealthy",
            () ->
                new Locking() {
                  @Override
                  synchronized boolean isHealthy() {
                    return true;
                  }
                }),
        Planted.of(
            "DECL-04",
            "takes the lock of execute in memoryUsage",
            () ->
                new Locking() {
                  @Override
                  synchronized List<MemoryUsage> memoryUsage() {
                    return List.of();
                  }
                }),
        Planted.of(
            "DECL-04",
            "measures for 200 ms in memoryUsage",
            () ->
                new Specimen() {
                  @Override
                  List<MemoryUsage> memoryUsage() {
                    pauseFor(200);
                    return List.of();
                  }
                }),
        Planted.of(
            "THREAD-03",
            "waits in the action on a cancellation",
            () ->
                new Specimen() {
                  @Override
                  void execute(Batch batch, Results results) {
                    batch.onCancel(() -> pauseFor(700));
                    super.execute(batch, results);
                  }
                }),
        Planted.of(
            "DET-05",
            "waits in the action on the cancellation of a detached request",
            () ->
                new DetachedDefects.Later() {
                  @Override
                  void answer(DetachedRequest request) {
                    request.onCancel(() -> pauseFor(700));
                    super.answer(request);
                  }
                }),
        Planted.of(
            "MEMORY-12",
            "waits in the releases of a batch of many requests",
            () ->
                new MemoryDefects.Giving() {
                  private volatile int requests;

                  @Override
                  void execute(Batch batch, Results results) {
                    requests = batch.size();
                    super.execute(batch, results);
                  }

                  @Override
                  void release(Arena arena) {
                    pauseFor(requests == MAX_BATCH ? 600 : 0);
                    super.release(arena);
                  }
                }));
  }
}
