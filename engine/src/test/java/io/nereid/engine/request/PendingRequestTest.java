package io.nereid.engine.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PendingRequestTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final AtomicInteger ended = new AtomicInteger();
  private final RecordedOutcome receiver = new RecordedOutcome();
  private final PendingRequest request =
      pending(new ResponsePromise(receiver), pool.lease(10), pool.lease(20));

  private PendingRequest pending(ResponsePromise promise, Lease... leases) {
    return new PendingRequest(
        new InferenceRequest(new ModelKey("m", 1), "", List.of(), List.of(), RequestOptions.NONE),
        1,
        List.of(leases),
        ended::incrementAndGet,
        promise,
        0,
        Long.MAX_VALUE);
  }

  @Test
  void closingReleasesEveryInputAndRunsTheHook() {
    request.close();

    assertThat(pool.outstanding()).isZero();
    assertThat(ended).hasValue(1);
  }

  @Test
  void aCancellationReleasesNoInput() {
    request.promise().cancel();

    assertThat(receiver.calls()).isEqualTo(1);
    assertThat(pool.outstanding()).isEqualTo(2);
    assertThat(ended).hasValue(0);
    request.close();
  }

  @Test
  void aCancellationTellsTheHolder() {
    List<String> told = new ArrayList<>();
    request.heldBy(_ -> told.add("queue"));
    request.heldBy(called -> told.add(called.equals(request) ? "batch" : "batch of another"));
    assertThat(told).isEmpty();

    request.promise().cancel();

    assertThat(told).containsExactly("batch");
    request.close();
  }

  @Test
  void aHolderOfACancelledRequestIsToldAtOnce() {
    List<String> told = new ArrayList<>();
    request.promise().cancel();

    request.heldBy(_ -> told.add("queue"));
    request.heldBy(_ -> told.add("batch"));

    assertThat(told).containsExactly("queue", "batch");
    request.close();
  }

  @Test
  void aCancellationDuringAChangeOfHoldersTellsOneOfThem() throws InterruptedException {
    for (int i = 0; i < 2_000; i++) {
      var told = new AtomicInteger();
      var passed = pending(new ResponsePromise(new RecordedOutcome()));
      passed.heldBy(_ -> {});
      Thread canceller = Thread.startVirtualThread(passed.promise()::cancel);

      passed.heldBy(_ -> told.incrementAndGet());

      canceller.join();
      assertThat(told).hasPositiveValue();
    }
    request.close();
  }

  private InferenceResponse cached(AtomicInteger released) {
    return new InferenceResponse(
        new ModelKey("m", 1), "", Map.of(), List.of(), List.of(released::incrementAndGet));
  }

  @Test
  void aCachedResponseIsSentOnceTheInputsAreReleased() {
    var released = new AtomicInteger();
    request.setCachedResponse(cached(released));

    request.answerCached();

    assertThat(pool.outstanding()).isZero();
    assertThat(ended).hasValue(1);
    assertThat(released).hasValue(0);
    receiver.response().close();
    assertThat(released).hasValue(1);
  }

  @Test
  void aCachedResponseThatIsNotSentIsReleasedWithTheRequest() {
    var released = new AtomicInteger();
    request.setCachedResponse(cached(released));

    request.close();

    assertThat(released).hasValue(1);
    assertThat(receiver.calls()).isZero();
  }

  @Test
  void aCachedResponseOfACancelledRequestIsReleased() {
    var released = new AtomicInteger();
    request.setCachedResponse(cached(released));
    request.promise().cancel();

    request.answerCached();

    assertThat(released).hasValue(1);
    assertThat(receiver.calls()).isEqualTo(1);
  }

  @Test
  void messagesContainTheIdOfTheRequest() {
    assertThat(RequestErrors.prefix("r1")).isEqualTo("[request id: r1] ");
    assertThat(RequestErrors.prefix("")).isEqualTo("[request id: <id_unknown>] ");
  }
}
