package io.nereid.engine.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.SharedDeviceMemory;
import io.nereid.spi.metrics.MetricStore;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The memory that a backend allocates or opens, whatever its calls do. */
@Timeout(60)
class GuardedBackendTest {
  private final List<MemorySegment> freed = new CopyOnWriteArrayList<>();

  private static RuntimeException bug() {
    return new IllegalStateException("of a test");
  }

  /** A backend whose models have an allocator, and which opens memory whose every call throws. */
  private record Allocating(HostAllocator allocator, CountDownLatch closed) implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      return new Model() {
        @Override
        public ModelInstance open(InstanceSettings settings) {
          throw bug();
        }

        @Override
        public Optional<HostAllocator> inputAllocator() {
          return Optional.of(allocator);
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public SharedDeviceMemory openSharedMemory(int gpu, byte[] handle, long byteSize) {
      return new SharedDeviceMemory() {
        @Override
        public void read(long offset, MemorySegment target) {
          throw new LinkageError("of a test");
        }

        @Override
        public void write(long offset, MemorySegment source) {
          throw bug();
        }

        @Override
        public void close() {
          throw bug();
        }
      };
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  private static GuardedBackend guarded(HostAllocator allocator) {
    return guarded(allocator, new CountDownLatch(1));
  }

  private static GuardedBackend guarded(HostAllocator allocator, CountDownLatch closed) {
    return new GuardedBackend(
        "b",
        new Allocating(allocator, closed),
        new BackendCalls("b", GuardedBackendTest.class.getClassLoader()),
        new MetricStore());
  }

  @SuppressWarnings("NullAway") // it returns null where it must not
  private HostAllocator allocator(LongFunction<@Nullable MemorySegment> allocation) {
    return inputAllocator(
        load(
            guarded(
                new HostAllocator() {
                  @Override
                  public MemorySegment allocate(long byteSize) {
                    return allocation.apply(byteSize);
                  }

                  @Override
                  public void free(MemorySegment segment) {
                    freed.add(segment);
                    throw bug();
                  }
                })));
  }

  /** Memory of the allocator's own: while a call is late, as on a busy machine, it is ordinary. */
  private static MemorySegment own(HostAllocator allocator, long byteSize) {
    while (true) { // until the timeout
      MemorySegment memory = allocator.allocate(byteSize);
      if (!memory.isNative()) {
        return memory;
      }
      allocator.free(memory);
    }
  }

  private static void assertFails(Runnable call, String message) {
    assertThatExceptionOfType(InferenceException.class).isThrownBy(call::run).withMessage(message);
  }

  @Test
  void memoryOfTheSizeThatWasAskedForIsPassedOn() {
    var memory = MemorySegment.ofArray(new byte[8]);

    assertThat(own(allocator(_ -> memory), 8)).isSameAs(memory);
    assertThat(freed).isEmpty();
  }

  @Test
  void anInterruptedThreadFreesMemoryWithoutAFailure() {
    var memory = MemorySegment.ofArray(new byte[8]);
    HostAllocator allocator = allocator(_ -> memory);
    MemorySegment allocated = own(allocator, 8);

    Thread.currentThread().interrupt();
    allocator.free(allocated);

    assertThat(Thread.interrupted()).isTrue();
    while (freed.isEmpty()) { // until the timeout
      Thread.onSpinWait();
    }
    assertThat(freed).containsOnly(memory);
  }

  @Test
  void memoryOfAnotherSizeIsFreedAndRefused() {
    for (int byteSize : new int[] {7, 9}) {
      var memory = MemorySegment.ofArray(new byte[byteSize]);

      assertFails(
          () -> own(allocator(_ -> memory), 8),
          "model 'm': HostAllocator.allocate of backend 'b' has returned %d bytes, expected 8"
              .formatted(byteSize));
      assertThat(freed).containsOnly(memory);
      freed.clear();
    }
  }

  @Test
  void anAllocationThatReturnsNullOrThrowsIsAFailure() {
    assertFails(
        () -> own(allocator(_ -> null), 8),
        "model 'm': HostAllocator.allocate of backend 'b' has returned null");
    HostAllocator failing =
        allocator(_ -> {
          throw new StackOverflowError("of a test");
        });
    assertFails(
        () -> own(failing, 8),
        "model 'm': HostAllocator.allocate of backend 'b' failed unexpectedly:"
            + " java.lang.StackOverflowError: of a test");
  }

  @Test
  void memoryThatCannotBeFreedIsALineOfTheLog() {
    try (var log = new LogCapture(BackendCalls.class.getName())) {
      allocator(_ -> null).free(MemorySegment.NULL);
      while (log.messages().isEmpty()) { // it may be late
        Thread.onSpinWait();
      }

      assertThat(log.messages())
          .containsExactly("model 'm': HostAllocator.free of backend 'b' failed unexpectedly");
    }
  }

  @Test
  void whileAnAllocationDoesNotReturnMemoryIsOrdinary() throws InterruptedException {
    var gate = new CountDownLatch(1);
    var own = MemorySegment.ofArray(new byte[8]);
    HostAllocator allocator =
        allocator(_ -> {
          awaitIgnoringInterrupts(gate);
          return own;
        });
    try (var log = new LogCapture(GuardedAllocator.class.getName())) {
      MemorySegment first = allocator.allocate(8);
      MemorySegment second = allocator.allocate(8);

      assertThat(List.of(first, second)).allMatch(MemorySegment::isNative).doesNotContain(own);
      assertThat(log.messages())
          .containsExactly(
              "model 'm': HostAllocator.allocate of backend 'b' has not returned; until it has,"
                  + " inputs of the model are in ordinary memory");
      allocator.free(first);
      allocator.free(second);
    }
    gate.countDown();
    while (freed.isEmpty()) { // what has come too late, until the timeout
      Thread.sleep(1);
    }
    assertThat(freed).containsExactly(own);
    while (!allocator.allocate(8).equals(own)) {
      Thread.sleep(1);
    }
  }

  @Test
  void memoryThatIsNotFreedHoldsUpNoOtherAndIsFreedLater() throws InterruptedException {
    var gate = new CountDownLatch(1);
    HostAllocator allocator = inputAllocator(load(guarded(freeingBehind(gate))));
    try (var log = new LogCapture(GuardedAllocator.class.getName())) {
      MemorySegment first = own(allocator, 8);
      MemorySegment second = own(allocator, 16);
      allocator.free(first);
      allocator.free(second);

      assertThat(log.messages().stream().filter(line -> line.contains(".free ")))
          .containsExactly(
              "model 'm': HostAllocator.free of backend 'b' has not returned: 8 bytes stay"
                  + " allocated",
              "model 'm': HostAllocator.free of backend 'b' has not returned: 16 bytes stay"
                  + " allocated");
      gate.countDown();
      while (freed.size() < 2) { // until the timeout
        Thread.sleep(1);
      }
      assertThat(freed).containsExactly(first, second);
    } finally {
      gate.countDown();
    }
  }

  @Test
  void aBackendIsClosedOnceACallThatIsLateHasReturned() throws InterruptedException {
    var gate = new CountDownLatch(1);
    var closed = new CountDownLatch(1);
    GuardedBackend backend = guarded(freeingBehind(gate), closed);
    var open = new OpenBackends(Duration.ofSeconds(60));
    var _ = open.get("b", () -> backend);
    Model model = load(backend);
    HostAllocator allocator = inputAllocator(model);
    allocator.free(own(allocator, 8)); // is late
    model.close();

    Thread closing = Thread.ofPlatform().start(open::close);
    while (closing.getState() != Thread.State.TIMED_WAITING) { // until the timeout
      Thread.onSpinWait();
    }
    assertThat(closed.getCount()).isEqualTo(1);
    gate.countDown();

    closing.join();
    assertThat(closed.getCount()).isZero();
    assertThat(freed).hasSize(1);
  }

  @Test
  void aBackendThatOpensBehindTheStopIsClosed() {
    var closed = new CountDownLatch(1);
    GuardedBackend backend = guarded(freeingBehind(new CountDownLatch(0)), closed);
    var open = new OpenBackends(Duration.ofSeconds(60));

    assertFails(
        () ->
            open.get(
                "b",
                () -> {
                  open.close();
                  return backend;
                }),
        "Server exiting");
    assertThat(closed.getCount()).isZero();
  }

  private HostAllocator freeingBehind(CountDownLatch gate) {
    return new HostAllocator() {
      @Override
      public MemorySegment allocate(long byteSize) {
        return MemorySegment.ofArray(new byte[(int) byteSize]);
      }

      @Override
      public void free(MemorySegment segment) {
        awaitIgnoringInterrupts(gate);
        freed.add(segment);
      }
    };
  }

  private static Model load(GuardedBackend backend) {
    return backend.load(new ModelFiles(Path.of("m"), 1), ModelConfig.of("m", "b"));
  }

  private static HostAllocator inputAllocator(Model model) {
    return model.inputAllocator().orElseThrow();
  }

  private static void awaitIgnoringInterrupts(CountDownLatch gate) {
    while (true) {
      try {
        gate.await();
        return;
      } catch (InterruptedException ignored) {
        // it does not return, whatever is done
      }
    }
  }

  @Test
  void callsOfMemoryOfClientsThatThrowAreFailures() {
    GuardedBackend backend = guarded(new ArenaAllocator());
    SharedDeviceMemory memory = backend.openSharedMemory(0, new byte[64], 8);
    assertThat(backend.isIdle()).isFalse();

    assertFails(
        () -> memory.read(0, MemorySegment.NULL),
        "SharedDeviceMemory.read of backend 'b' failed unexpectedly: java.lang.LinkageError: of a"
            + " test");
    assertFails(
        () -> memory.write(0, MemorySegment.NULL),
        "SharedDeviceMemory.write of backend 'b' failed unexpectedly:"
            + " java.lang.IllegalStateException: of a test");
    assertFails(
        memory::close,
        "SharedDeviceMemory.close of backend 'b' failed unexpectedly:"
            + " java.lang.IllegalStateException: of a test");
    assertThat(backend.isIdle()).isTrue();
  }
}
