package io.nereid.engine.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.request.AwaitedResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StringInputsTest {
  private static final int COUNT = 20_000;
  private static final long BYTES = 4 * COUNT;
  private static final long OBJECTS = 32 * COUNT + BYTES;

  private final SlabPool pool = new SlabPool(new ArenaAllocator(), 16 << 20);

  @AfterEach
  void closePool() {
    pool.close();
  }

  /** A request with empty strings, in memory that is counted for a client. */
  private PendingRequest request(RequestMemory memory) {
    Lease lease = memory.of(pool, ClientKey.LOCAL).lease(BYTES);
    var input = new Tensor("IN", DataType.BYTES, Shape.of(COUNT), lease.segment());
    var options = new RequestOptions(SequenceId.NONE, false, false, 0, 0, Map.of());
    var request =
        new InferenceRequest(new ModelKey("m", 1), "", List.of(input), List.of(), options);
    return new PendingRequest(
        request,
        1,
        List.of(lease),
        () -> {},
        new ResponsePromise(new AwaitedResponse()),
        0,
        PendingRequest.NEVER);
  }

  @Test
  void objectsOfStringsAreCountedForTheClientUntilTheRequestEnds() {
    var memory = new RequestMemory(16 << 20, Long.MAX_VALUE);
    try (PendingRequest request = request(memory)) {
      new StringInputs(COUNT).count(request);

      assertThat(memory.usedBytes()).isEqualTo(BYTES + OBJECTS);
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void aRequestWhoseStringsDoNotFitIntoTheBudgetIsRefused() {
    var memory = new RequestMemory(1 << 20, BYTES + OBJECTS - 1);
    try (PendingRequest request = request(memory)) {
      assertThatThrownBy(() -> new StringInputs(COUNT).count(request))
          .isInstanceOf(InferenceException.class)
          .hasMessageContaining("share of request memory is exhausted");
      assertThat(memory.usedBytes()).isEqualTo(BYTES);
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void anInputWithMoreStringsThanTheLimitIsInvalid() {
    var memory = new RequestMemory(16 << 20, Long.MAX_VALUE);
    try (PendingRequest request = request(memory)) {
      new StringInputs(COUNT).requireFew(request);
      assertThatThrownBy(() -> new StringInputs(COUNT - 1).requireFew(request))
          .hasMessage(
              "[request id: <id_unknown>] input 'IN' for model 'm' has 20000 strings, more than --max-string-elements=19999");
    }
  }
}
