package io.nereid.tck.backend.defects;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Wrong handling of requests that are detached. */
final class DetachedDefects {
  /** Long enough for execute to return. */
  private static final long LATER_NANOS = 20_000_000;

  private DetachedDefects() {}

  /** A model that answers each request on a thread of its own. */
  static class Later extends Specimen {
    @Override
    void execute(Batch batch, Results results) {
      for (int i = 0; i < batch.size(); i++) {
        detach(batch, i, results);
      }
    }

    void detach(Batch batch, int i, Results results) {
      DetachedRequest request = results.detach(i);
      Thread.ofVirtual().start(() -> answer(request));
    }

    void answer(DetachedRequest request) {
      fill(request, request.input("IN").orElseThrow().data());
      request.send();
    }

    static void fill(DetachedRequest request, MemorySegment in) {
      for (String output : List.of("SAME", "OTHER")) {
        if (request.wants(output)) {
          var shape = request.input("IN").orElseThrow().shape();
          write(output, in, request.allocate(output, DataType.FP32, shape));
        }
      }
    }

    static void pause() {
      LockSupport.parkNanos(LATER_NANOS);
    }
  }

  /** A model whose requests with the parameter {@code bad} take until they are cancelled. */
  static class Waiting extends Later {
    @Override
    public Optional<SampleRequest> longRequest(ModelConfig config) {
      return Optional.of(bad(this, config));
    }

    @Override
    void answer(DetachedRequest request) {
      var cancelled = new CountDownLatch(1);
      request.onCancel(cancelled::countDown);
      if (request.request().options().parameters().containsKey("bad")) {
        try {
          boolean _ = cancelled.await(waits().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopped) {
          throw new IllegalStateException(stopped);
        }
      }
      super.answer(request);
    }

    Duration waits() {
      return Duration.ofSeconds(5);
    }
  }

  static List<Planted> all() {
    return List.of(
        Planted.of(
            "DET-01",
            "never ends a detached request",
            () ->
                new Later() {
                  @Override
                  public Duration maxCall() {
                    return SHORT_CALL;
                  }

                  @Override
                  void answer(DetachedRequest request) {
                    fill(request, request.input("IN").orElseThrow().data());
                  }
                }),
        Planted.of(
            "DET-01",
            "discards what a full queue cannot hold",
            () ->
                new Later() {
                  private final Semaphore room = new Semaphore(16);

                  @Override
                  public Duration maxCall() {
                    return SHORT_CALL;
                  }

                  @Override
                  void detach(Batch batch, int i, Results results) {
                    if (room.tryAcquire()) {
                      super.detach(batch, i, results);
                    } else {
                      results.detach(i);
                    }
                  }

                  @Override
                  void answer(DetachedRequest request) {
                    pause();
                    super.answer(request);
                    room.release();
                  }
                }),
        Planted.of(
            "DET-01",
            "ends a detached request in the next execution",
            () ->
                new Later() {
                  private @Nullable DetachedRequest last;

                  @Override
                  public Duration maxCall() {
                    return SHORT_CALL;
                  }

                  @Override
                  void detach(Batch batch, int i, Results results) {
                    if (last != null) {
                      super.answer(last);
                    }
                    last = results.detach(i);
                  }
                }),
        Planted.of(
            "DET-01",
            "loses a detached request whose thread fails",
            () ->
                new Later() {
                  @Override
                  public Duration maxCall() {
                    return SHORT_CALL;
                  }

                  @Override
                  void answer(DetachedRequest request) {
                    try {
                      Tensor _ = request.input("NONE").orElseThrow();
                    } catch (RuntimeException swallowed) {
                      return;
                    }
                    super.answer(request);
                  }
                }),
        Planted.of(
            "DET-01",
            "does not end a detached request that is cancelled",
            () ->
                new Later() {
                  @Override
                  public Duration maxCall() {
                    return SHORT_CALL;
                  }

                  @Override
                  void answer(DetachedRequest request) {
                    if (!request.isCancelled()) {
                      super.answer(request);
                    }
                  }
                }),
        Planted.of(
            "DET-02",
            "answers a detached request twice",
            () ->
                new Later() {
                  @Override
                  void answer(DetachedRequest request) {
                    super.answer(request);
                    swallow(request::send);
                  }
                }),
        Planted.of(
            "DET-02",
            "fails a detached request that it has answered",
            () ->
                new Later() {
                  @Override
                  void answer(DetachedRequest request) {
                    super.answer(request);
                    swallow(() -> request.fail(InferenceException.internal("too late")));
                  }
                }),
        Planted.of(
            "DET-02",
            "reads an input of a detached request after its end",
            () ->
                new Later() {
                  @Override
                  void answer(DetachedRequest request) {
                    super.answer(request);
                    swallow(() -> request.input("IN"));
                  }
                }),
        Planted.of(
            "DET-02",
            "fails a detached request by the results of its batch",
            () ->
                new Later() {
                  @Override
                  void detach(Batch batch, int i, Results results) {
                    super.detach(batch, i, results);
                    swallow(() -> results.fail(i, InferenceException.internal("")));
                  }
                }),
        Planted.of(
            "DET-03",
            "reads a gathered input after execute",
            () ->
                new Later() {
                  @Override
                  void execute(Batch batch, Results results) {
                    Tensor all = batch.gathered("IN").orElseThrow();
                    long offset = 0;
                    for (int i = 0; i < batch.size(); i++) {
                      long size = batch.input(i, "IN").orElseThrow().byteSize();
                      MemorySegment mine = all.data().asSlice(offset, size);
                      offset += size;
                      DetachedRequest request = results.detach(i);
                      Thread.ofVirtual()
                          .start(() -> {
                            pause();
                            fill(request, mine);
                            request.send();
                          });
                    }
                  }
                }),
        Planted.of(
            "DET-03",
            "has one buffer for all detached requests",
            () ->
                new Later() {
                  private final MemorySegment buffer =
                      Arena.ofAuto().allocate((long) MAX_BATCH * ROW);

                  @Override
                  void detach(Batch batch, int i, Results results) {
                    MemorySegment in = batch.input(i, "IN").orElseThrow().data();
                    buffer.copyFrom(in);
                    long size = in.byteSize();
                    DetachedRequest request = results.detach(i);
                    Thread.ofVirtual()
                        .start(() -> {
                          pause();
                          fill(request, buffer.asSlice(0, size));
                          request.send();
                        });
                  }
                }),
        Planted.of(
            "THREAD-04",
            "reads an input of the batch for a detached request",
            () ->
                new Later() {
                  @Override
                  void detach(Batch batch, int i, Results results) {
                    DetachedRequest request = results.detach(i);
                    Thread.ofVirtual()
                        .start(() -> {
                          swallow(() -> batch.input(i, "IN"));
                          answer(request);
                        });
                  }
                }),
        Planted.of(
            "DET-04",
            "ignores the cancellation of a detached request",
            () ->
                new Waiting() {
                  @Override
                  void answer(DetachedRequest request) {
                    if (request.request().options().parameters().containsKey("bad")) {
                      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
                    }
                    fill(request, request.input("IN").orElseThrow().data());
                    request.send();
                  }
                }),
        Planted.of(
            "DET-05",
            "fails requests after one that was cancelled",
            () ->
                new Later() {
                  private volatile boolean cancelled;

                  @Override
                  void answer(DetachedRequest request) {
                    cancelled |= request.isCancelled();
                    if (cancelled) {
                      request.fail(InferenceException.cancelled());
                    } else {
                      super.answer(request);
                    }
                  }
                }));
  }

  /** The defect is not told. */
  private static void swallow(Runnable misuse) {
    try {
      misuse.run();
    } catch (IllegalStateException ignored) {
      // as a backend may
    }
  }
}
