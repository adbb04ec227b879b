package io.nereid.tensorrt.doubles;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the double of libcudart itself: what it refuses during a capture (NVIDIA, CUDA Runtime
 * API, cudaThreadExchangeStreamCaptureMode and the errors 900 to 908). They call the bindings.
 */
@UsesDoubles
final class CudartDoubleCaptureTest {
  private static final int GLOBAL = 0;
  private static final int THREAD_LOCAL = 1;
  private static final int RELAXED = 2;
  private static final int UNSUPPORTED = 900;
  private static final int INVALIDATED = 901;
  private static final int MERGE = 902;
  private static final int UNMATCHED = 903;
  private static final int UNJOINED = 904;
  private static final int ISOLATION = 905;
  private static final int CAPTURED_EVENT = 907;
  private static final int WRONG_THREAD = 908;

  private final RawCuda raw;
  private MemorySegment stream = MemorySegment.NULL;
  private MemorySegment other = MemorySegment.NULL;
  private MemorySegment event = MemorySegment.NULL;

  CudartDoubleCaptureTest(CudartDouble cuda) {
    this.raw = new RawCuda(cuda);
  }

  @BeforeEach
  void open() {
    stream = raw.stream();
    other = raw.stream();
    event = raw.event();
  }

  @AfterEach
  void close() {
    RawCuda.destroy(stream, other);
    RawCuda.ok(Cudart.cudaEventDestroy(event));
    raw.close();
  }

  private void begin(int mode) {
    RawCuda.ok(Cudart.cudaStreamBeginCapture(stream, mode));
  }

  /** Ends the capture with this status. */
  private void assertEnd(int status) {
    var out = raw.arena.allocate(ADDRESS);
    assertThat(Cudart.cudaStreamEndCapture(stream, out)).isEqualTo(status);
    if (status == 0) {
      RawCuda.ok(Cudart.cudaGraphDestroy(RawCuda.pointer(out)));
    } else {
      assertThat(RawCuda.pointer(out).address()).isZero();
    }
  }

  private List<IntSupplier> unsafeCalls() {
    var out = raw.arena.allocate(ADDRESS);
    return List.of(
        () -> Cudart.cudaMalloc(out, 4),
        () -> Cudart.cudaHostAlloc(out, 4, 1),
        () -> Cudart.cudaStreamSynchronize(other),
        () -> Cudart.cudaStreamQuery(other),
        () -> Cudart.cudaStreamQuery(stream),
        () -> Cudart.cudaEventQuery(event),
        () -> Cudart.cudaEventSynchronize(event));
  }

  @Test
  void refusesUnsafeCallsOfTheThreadThatCaptures() {
    for (IntSupplier call : unsafeCalls()) {
      begin(THREAD_LOCAL);
      assertThat(call.getAsInt()).isEqualTo(UNSUPPORTED);
      assertEnd(INVALIDATED);
    }
  }

  @Test
  void allowsUnsafeCallsOfOtherThreadsUnlessTheCaptureIsGlobal() {
    begin(THREAD_LOCAL);
    assertThat(inAnotherThread(() -> Cudart.cudaStreamQuery(other))).isZero();
    assertEnd(0);

    begin(GLOBAL);
    assertThat(inAnotherThread(() -> Cudart.cudaStreamQuery(other))).isEqualTo(UNSUPPORTED);
    assertEnd(INVALIDATED);
  }

  @Test
  void refusesAQueryOfTheCapturedStreamInEachMode() {
    begin(RELAXED);
    assertThat(Cudart.cudaStreamQuery(other)).isZero();
    assertThat(Cudart.cudaStreamSynchronize(stream)).isEqualTo(UNSUPPORTED);
    assertEnd(INVALIDATED);
  }

  @Test
  void refusesToWaitForWorkBeforeTheCapture() {
    RawCuda.ok(Cudart.cudaEventRecord(event, other));
    begin(THREAD_LOCAL);
    assertThat(Cudart.cudaStreamWaitEvent(stream, event, 0)).isEqualTo(ISOLATION);
    assertEnd(INVALIDATED);
  }

  @Test
  void refusesAQueryOfACapturedEvent() {
    begin(RELAXED);
    RawCuda.ok(Cudart.cudaEventRecord(event, stream));
    assertThat(Cudart.cudaEventQuery(event)).isEqualTo(CAPTURED_EVENT);
    assertEnd(0);
    assertThat(Cudart.cudaEventQuery(event)).isEqualTo(CAPTURED_EVENT);
    assertThat(Cudart.cudaStreamWaitEvent(other, event, 0)).isEqualTo(CAPTURED_EVENT);
  }

  @Test
  void refusesToEndACaptureWithAStreamThatIsNotJoined() {
    begin(THREAD_LOCAL);
    RawCuda.ok(Cudart.cudaEventRecord(event, stream));
    RawCuda.ok(Cudart.cudaStreamWaitEvent(other, event, 0));
    assertEnd(UNJOINED);
    assertThat(Cudart.cudaStreamQuery(other)).as("not captured any more").isZero();
  }

  @Test
  void refusesToEndACaptureOnAnotherStreamOrThread() {
    begin(THREAD_LOCAL);
    RawCuda.ok(Cudart.cudaEventRecord(event, stream));
    RawCuda.ok(Cudart.cudaStreamWaitEvent(other, event, 0));
    var out = raw.arena.allocate(ADDRESS);
    assertThat(Cudart.cudaStreamEndCapture(other, out)).isEqualTo(UNMATCHED);
    assertThat(inAnotherThread(() -> Cudart.cudaStreamEndCapture(stream, out)))
        .isEqualTo(WRONG_THREAD);
    assertEnd(UNJOINED);
  }

  @Test
  void refusesToMergeTwoCaptures() {
    var out = raw.arena.allocate(ADDRESS);
    begin(THREAD_LOCAL);
    RawCuda.ok(Cudart.cudaStreamBeginCapture(other, THREAD_LOCAL));
    RawCuda.ok(Cudart.cudaEventRecord(event, stream));
    assertThat(Cudart.cudaStreamWaitEvent(other, event, 0)).isEqualTo(MERGE);
    assertThat(Cudart.cudaStreamEndCapture(other, out)).isEqualTo(INVALIDATED);
    assertEnd(INVALIDATED);
  }

  private static int inAnotherThread(IntSupplier call) {
    var status = new int[1];
    var thread = new Thread(() -> status[0] = call.getAsInt());
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
    return status[0];
  }
}
