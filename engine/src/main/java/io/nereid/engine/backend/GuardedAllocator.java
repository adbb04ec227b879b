package io.nereid.engine.backend;

import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.thread.BoundedCall;
import io.nereid.error.InferenceException;
import io.nereid.spi.HostAllocator;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An allocator of a model as the server calls it: its memory is as large as was asked for, and a
 * call that does not return holds up no other request. Each call has a thread of its own, since it
 * may be made for a request by a thread that serves other clients. While a call is late, memory is
 * ordinary. Calls are rare: slabs are kept.
 */
final class GuardedAllocator implements HostAllocator {
  private static final System.Logger LOG = System.getLogger(GuardedAllocator.class.getName());
  private static final Duration MOMENT = Duration.ofMillis(50);

  /** How much memory a device's driver locks in a millisecond, at the least. */
  private static final long BYTES_PER_MILLI = 1 << 20;

  private final String model;
  private final HostAllocator allocator;
  private final BackendCalls calls;
  private final ArenaAllocator ordinary = new ArenaAllocator();

  /** The addresses of ordinary memory. */
  private final Set<Long> ordinaries = ConcurrentHashMap.newKeySet();

  /** Calls that have not returned. */
  private final AtomicInteger running = new AtomicInteger();

  /** Whether one of these is late. */
  private volatile boolean isLate;

  /** What is to be freed, now or once that has returned. */
  private final Queue<MemorySegment> unfreed = new ConcurrentLinkedQueue<>();

  GuardedAllocator(String model, HostAllocator allocator, BackendCalls calls) {
    this.model = model;
    this.allocator = allocator;
    this.calls = calls;
  }

  @Override
  public MemorySegment allocate(long byteSize) {
    if (mayCall()) {
      try {
        MemorySegment memory =
            bounded(
                "HostAllocator.allocate",
                byteSize,
                () ->
                    calls.call(model, "HostAllocator.allocate", () -> allocator.allocate(byteSize)),
                this::freed);
        return checked(memory, byteSize);
      } catch (TimeoutException late) {
        LOG.log(
            Level.WARNING,
            "{0} has not returned; until it has, inputs of the model are in ordinary memory",
            calls.what(model, "HostAllocator.allocate"));
      }
    }
    MemorySegment memory = ordinary.allocate(byteSize);
    ordinaries.add(memory.address());
    return memory;
  }

  private MemorySegment checked(MemorySegment memory, long byteSize) {
    if (memory.byteSize() != byteSize) {
      free(memory);
      throw InferenceException.internal(
          "%s has returned %d bytes, expected %d"
              .formatted(calls.what(model, "HostAllocator.allocate"), memory.byteSize(), byteSize));
    }
    return memory;
  }

  /** {@inheritDoc} A failure is logged: the memory is lost, but those who free it go on. */
  @Override
  public void free(MemorySegment segment) {
    if (ordinaries.remove(segment.address())) {
      ordinary.free(segment);
      return;
    }
    unfreed.add(segment); // before the look for a late call, whose end frees what it finds
    try {
      if (mayCall()) {
        var _ =
            bounded(
                "HostAllocator.free",
                segment.byteSize(),
                () -> {
                  freeLeft();
                  return segment;
                },
                _ -> {});
        return;
      }
    } catch (InferenceException interrupted) {
      return; // the call goes on without this thread
    } catch (TimeoutException late) {
      // it may free the memory yet
    }
    LOG.log(
        Level.WARNING,
        "{0} has not returned: {1} bytes stay allocated",
        calls.what(model, "HostAllocator.free"),
        Long.toString(segment.byteSize()));
  }

  private MemorySegment freed(MemorySegment segment) {
    calls.run(
        model,
        "HostAllocator.free",
        () -> {
          try {
            allocator.free(segment);
          } catch (Throwable thrown) { // also an Error: the caller has more to free
            var _ = calls.failed(model, "HostAllocator.free", thrown);
          }
        });
    return segment;
  }

  /** Frees what is to be freed, also what was left while a call was late. */
  private void freeLeft() {
    for (MemorySegment left = unfreed.poll(); left != null; left = unfreed.poll()) {
      var _ = freed(left);
    }
  }

  /** False while a call is late. */
  private boolean mayCall() {
    if (running.get() == 0) {
      isLate = false;
    }
    return !isLate;
  }

  /**
   * Waits for a call for a moment.
   *
   * @param late takes what is returned later
   */
  private MemorySegment bounded(
      String method, long byteSize, Supplier<MemorySegment> call, Consumer<MemorySegment> late)
      throws TimeoutException {
    running.incrementAndGet();
    try {
      return BoundedCall.run(
          "memory of " + model,
          MOMENT.plusMillis(byteSize / BYTES_PER_MILLI),
          () -> {
            try {
              return call.get();
            } finally {
              running.decrementAndGet();
              freeLeft();
            }
          },
          late);
    } catch (TimeoutException expired) {
      isLate = true;
      throw expired;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw InferenceException.cancelled();
    } catch (ExecutionException failed) {
      Throwable cause = Objects.requireNonNull(failed.getCause());
      throw cause instanceof InferenceException known ? known : calls.failed(model, method, cause);
    }
  }
}
