package io.nereid.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.exchange.PendingRequest;
import io.nereid.exchange.RecordedOutcome;
import io.nereid.exchange.ResponsePromise;
import io.nereid.instance.RequestRing;
import io.nereid.memory.CheckedBufferPool;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DirectSchedulerTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final RequestRing ring = new RequestRing(2);
  private final RequestRing.Reader reader = ring.reader();
  private final DirectScheduler scheduler = new DirectScheduler(ring);
  private final AtomicInteger ended = new AtomicInteger();

  private RecordedOutcome submit(String id) {
    var outcome = new RecordedOutcome();
    scheduler.submit(
        new PendingRequest(
            new InferenceRequest(
                new ModelKey("m", 1), id, List.of(), List.of(), RequestOptions.NONE),
            1,
            List.of(pool.lease(10)),
            ended::incrementAndGet,
            new ResponsePromise(outcome)));
    return outcome;
  }

  @Test
  void aFullQueueIsAnAnswerAndGivesTheMemoryBack() {
    submit("a");
    submit("b");
    assertThat(ended).hasValue(0);

    RecordedOutcome named = submit("c");
    RecordedOutcome nameless = submit("");

    InferenceException failure = named.failure();
    assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(failure)
        .hasMessage(
            "[request id: c] Exceeds maximum queue size: 2 requests of model 'm' are waiting");
    assertThat(nameless.failure())
        .hasMessageStartingWith("[request id: <id_unknown>] Exceeds maximum queue size");
    assertThat(ended).hasValue(2);
    assertThat(pool.outstanding()).isEqualTo(2);
  }

  @Test
  void afterARefusalTheQueueGoesOn() throws Exception {
    submit("a");
    submit("b");
    submit("c").failure();

    PendingRequest first = reader.take();
    assertThat(first).isNotNull().extracting(each -> each.request().id()).isEqualTo("a");
    RecordedOutcome later = submit("d");

    assertThat(later.calls()).isZero();
    assertThat(List.of(take(), take())).containsExactly("b", "d");
  }

  private String take() throws InterruptedException {
    PendingRequest request = reader.take();
    return request == null ? "none" : request.request().id();
  }
}
