package io.nereid.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.memory.CheckedBufferPool;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PendingRequestTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final AtomicInteger ended = new AtomicInteger();
  private final RecordedOutcome receiver = new RecordedOutcome();
  private final PendingRequest request =
      new PendingRequest(
          new InferenceRequest(new ModelKey("m", 1), "", List.of(), List.of(), RequestOptions.NONE),
          1,
          List.of(pool.lease(10), pool.lease(20)),
          ended::incrementAndGet,
          new ResponsePromise(receiver),
          0,
          Long.MAX_VALUE);

  @Test
  void itsEndGivesEveryInputBackAndIsTold() {
    request.close();

    assertThat(pool.outstanding()).isZero();
    assertThat(ended).hasValue(1);
  }

  @Test
  void aClientThatGivesUpFreesNothing() {
    request.promise().cancel();

    assertThat(receiver.calls()).isEqualTo(1);
    assertThat(pool.outstanding()).isEqualTo(2);
    assertThat(ended).hasValue(0);
    request.close();
  }

  @Test
  void messagesNameARequestByItsId() {
    assertThat(RequestIds.prefix("r1")).isEqualTo("[request id: r1] ");
    assertThat(RequestIds.prefix("")).isEqualTo("[request id: <id_unknown>] ");
  }
}
