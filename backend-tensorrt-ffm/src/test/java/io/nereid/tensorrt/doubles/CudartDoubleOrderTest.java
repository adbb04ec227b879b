package io.nereid.tensorrt.doubles;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the double of libcudart itself: what it executes when. They call the bindings. */
@UsesDoubles
final class CudartDoubleOrderTest {
  private static final int NOT_READY = 600;
  private static final int POISON = 0xCDCDCDCD;

  private final CudartDouble cuda;
  private final RawCuda raw;

  CudartDoubleOrderTest(CudartDouble cuda) {
    this.cuda = cuda;
    this.raw = new RawCuda(cuda);
  }

  @AfterEach
  void close() {
    raw.close();
  }

  @Test
  void showsAWrongValueWhereAWaitIsMissing() {
    var copies = raw.stream();
    var compute = raw.stream();
    var device = raw.malloc(4);
    var target = raw.ints(7);

    RawCuda.ok(Cudart.cudaMemcpyAsync(device, raw.ints(42), 4, RawCuda.HOST_TO_DEVICE, copies));
    // Missing: an event that is recorded on copies, and awaited by compute.
    RawCuda.ok(Cudart.cudaMemcpyAsync(target, device, 4, RawCuda.DEVICE_TO_HOST, compute));
    RawCuda.ok(Cudart.cudaStreamSynchronize(compute));

    assertThat(target.get(JAVA_INT, 0)).isEqualTo(POISON);
    RawCuda.destroy(copies, compute);
    RawCuda.ok(Cudart.cudaFree(device));
  }

  @Test
  void showsAnOldValueBeforeTheStreamIsSynchronised() {
    var stream = raw.stream();
    var device = raw.malloc(4);
    var target = raw.ints(7);

    RawCuda.ok(Cudart.cudaMemcpyAsync(device, raw.ints(42), 4, RawCuda.HOST_TO_DEVICE, stream));
    RawCuda.ok(Cudart.cudaMemcpyAsync(target, device, 4, RawCuda.DEVICE_TO_HOST, stream));
    assertThat(target.get(JAVA_INT, 0)).isEqualTo(7);

    RawCuda.destroy(stream);
    assertThat(target.get(JAVA_INT, 0)).isEqualTo(42);
    RawCuda.ok(Cudart.cudaFree(device));
  }

  @Test
  void readsPageLockedMemoryWhenTheCopyRunsAndOtherMemoryWhenItIsEnqueued() {
    var stream = raw.stream();
    var device = raw.malloc(8);
    var pinned = raw.hostAlloc(4);
    var pageable = raw.ints(1);
    var target = raw.ints(0, 0);
    pinned.set(JAVA_INT, 0, 1);

    RawCuda.ok(Cudart.cudaMemcpyAsync(device, pinned, 4, RawCuda.HOST_TO_DEVICE, stream));
    RawCuda.ok(
        Cudart.cudaMemcpyAsync(RawCuda.at(device, 4), pageable, 4, RawCuda.HOST_TO_DEVICE, stream));
    pinned.set(JAVA_INT, 0, 2); // too early
    pageable.set(JAVA_INT, 0, 2);
    RawCuda.ok(Cudart.cudaMemcpyAsync(target, device, 8, RawCuda.DEVICE_TO_HOST, stream));
    RawCuda.destroy(stream);

    assertThat(target.toArray(JAVA_INT)).containsExactly(2, 1);
    RawCuda.ok(Cudart.cudaFree(device));
    RawCuda.ok(Cudart.cudaFreeHost(pinned));
  }

  @Test
  void findsABufferThatIsOverwrittenTooEarlyInARandomOrder() {
    assertThat(wrongValuesOfTwoBatches(false)).as("seeds with a wrong value").isPositive();
    assertThat(wrongValuesOfTwoBatches(true)).as("where the copy waits").isZero();
  }

  /**
   * Copies two values through one buffer, which is read by another stream.
   *
   * @param waits whether the second copy waits until the first value has been read
   * @return for how many of 20 seeds the first value is wrong
   */
  private long wrongValuesOfTwoBatches(boolean waits) {
    var copies = raw.stream();
    var compute = raw.stream();
    var copied = raw.event();
    var read = raw.event();
    var device = raw.malloc(4);
    long wrong = 0;
    for (long seed = 1; seed <= 20; seed++) {
      cuda.setRandomOrder(seed);
      var targets = new MemorySegment[] {raw.ints(0), raw.ints(0)};
      for (int batch = 0; batch < 2; batch++) {
        if (waits) {
          RawCuda.ok(Cudart.cudaStreamWaitEvent(copies, read, 0));
        }
        var value = raw.ints(batch + 1);
        RawCuda.ok(Cudart.cudaMemcpyAsync(device, value, 4, RawCuda.HOST_TO_DEVICE, copies));
        RawCuda.ok(Cudart.cudaEventRecord(copied, copies));
        RawCuda.ok(Cudart.cudaStreamWaitEvent(compute, copied, 0));
        var target = targets[batch];
        RawCuda.ok(Cudart.cudaMemcpyAsync(target, device, 4, RawCuda.DEVICE_TO_HOST, compute));
        RawCuda.ok(Cudart.cudaEventRecord(read, compute));
      }
      RawCuda.ok(Cudart.cudaStreamSynchronize(compute));
      RawCuda.ok(Cudart.cudaStreamSynchronize(copies));
      assertThat(targets[1].get(JAVA_INT, 0)).isEqualTo(2);
      wrong += targets[0].get(JAVA_INT, 0) == 1 ? 0 : 1;
    }
    RawCuda.destroy(copies, compute);
    RawCuda.ok(Cudart.cudaEventDestroy(copied));
    RawCuda.ok(Cudart.cudaEventDestroy(read));
    RawCuda.ok(Cudart.cudaFree(device));
    return wrong;
  }

  @Test
  void runsOneOperationForAQuery() {
    var stream = raw.stream();
    var device = raw.malloc(4);
    RawCuda.ok(Cudart.cudaMemsetAsync(device, 1, 4, stream));
    RawCuda.ok(Cudart.cudaMemsetAsync(device, 2, 4, stream));

    assertThat(Cudart.cudaStreamQuery(stream)).isEqualTo(NOT_READY);
    assertThat(cuda.live("pending operations")).isEqualTo(1);
    assertThat(Cudart.cudaStreamQuery(stream)).isZero();

    cuda.setOperationsPerQuery(0);
    RawCuda.ok(Cudart.cudaMemsetAsync(device, 2, 4, stream));
    assertThat(Cudart.cudaStreamQuery(stream)).isEqualTo(NOT_READY);
    assertThat(Cudart.cudaStreamQuery(stream)).isEqualTo(NOT_READY);
    RawCuda.destroy(stream);
    RawCuda.ok(Cudart.cudaFree(device));
  }

  @Test
  void runsWorkThatIsEnqueuedWhenTheStreamRuns() throws Throwable {
    var stream = raw.stream();
    var runs = new AtomicInteger();
    var releases = new AtomicInteger();

    RawCuda.ok(enqueue(stream, _ -> runs.incrementAndGet(), _ -> releases.incrementAndGet()));
    assertThat(runs).hasValue(0);
    RawCuda.destroy(stream);

    assertThat(runs).hasValue(1);
    assertThat(releases).hasValue(1);
  }

  @Test
  void runsCapturedWorkAtEachLaunch() throws Throwable {
    var stream = raw.stream();
    var runs = new AtomicInteger();
    var releases = new AtomicInteger();
    var out = raw.arena.allocate(ADDRESS);

    RawCuda.ok(Cudart.cudaStreamBeginCapture(stream, 1));
    RawCuda.ok(enqueue(stream, _ -> runs.incrementAndGet(), _ -> releases.incrementAndGet()));
    RawCuda.ok(Cudart.cudaStreamEndCapture(stream, out));
    var graph = RawCuda.pointer(out);
    RawCuda.ok(Cudart.cudaGraphInstantiate(out, graph, 0));
    var executable = RawCuda.pointer(out);
    RawCuda.ok(Cudart.cudaGraphDestroy(graph));
    RawCuda.ok(Cudart.cudaGraphLaunch(executable, stream));
    RawCuda.ok(Cudart.cudaGraphLaunch(executable, stream));
    RawCuda.destroy(stream);

    assertThat(runs).hasValue(2);
    assertThat(releases).hasValue(0);
    RawCuda.ok(Cudart.cudaGraphExecDestroy(executable));
    assertThat(releases).hasValue(1);
  }

  @Test
  void findsWorkThatCallsCuda() throws Throwable {
    var stream = raw.stream();
    RawCuda.ok(enqueue(stream, _ -> Cudart.cudaGetDevice(raw.arena.allocate(JAVA_INT)), _ -> {}));

    RawCuda.destroy(stream);

    raw.assertViolations("cudaGetDevice is called by work that runs on a stream");
  }

  @Test
  void findsWorkThatIsLaunchedByAThreadOfAnotherDevice() throws Throwable {
    var stream = raw.stream();
    var releases = new AtomicInteger();
    RawCuda.ok(Cudart.cudaSetDevice(1));

    assertThat(enqueue(stream, _ -> {}, _ -> releases.incrementAndGet()))
        .isEqualTo(RawCuda.INVALID_HANDLE);

    assertThat(releases).hasValue(1);
    raw.assertViolations("work is launched on a stream of device 0 by a thread that uses device 1");
    RawCuda.destroy(stream);
  }

  private int enqueue(
      MemorySegment stream, Consumer<MemorySegment> work, Consumer<MemorySegment> release)
      throws Throwable {
    var handle =
        raw.control(
            "double_enqueue", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
    return (int) handle.invokeExact(stream, upcall(work), MemorySegment.NULL, upcall(release));
  }

  private MemorySegment upcall(Consumer<MemorySegment> work) throws ReflectiveOperationException {
    var type = FunctionDescriptor.ofVoid(ADDRESS);
    var target =
        MethodHandles.lookup()
            .findVirtual(Consumer.class, "accept", MethodType.methodType(void.class, Object.class))
            .bindTo(work)
            .asType(type.toMethodType());
    return Linker.nativeLinker().upcallStub(target, type, raw.arena);
  }
}
