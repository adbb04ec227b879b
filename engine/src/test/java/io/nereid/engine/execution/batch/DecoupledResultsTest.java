package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When responses are sent and inputs are freed, for decoupled and other models. */
class DecoupledResultsTest {
  private static final ModelConfig SINGLE =
      ModelConfig.of("m", "b")
          .withSignature(
              8,
              List.of(),
              List.of(
                  TensorConfig.of("OUT", DataType.INT32, Shape.of(1)),
                  TensorConfig.of("NOT_ASKED_FOR", DataType.INT32, Shape.of(1))));
  private static final ModelConfig DECOUPLED = SINGLE.withDecoupled(true);

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final AtomicInteger inputsFreed = new AtomicInteger();
  private final AtomicInteger released = new AtomicInteger();
  private final List<Client> clients = new ArrayList<>();
  private final List<PendingRequest> requests = new ArrayList<>();

  /** The outcome of a request so far: the values of each response, then its end. */
  private final class Client implements ResponseReceiver {
    final List<String> got = new ArrayList<>();
    boolean ended;
    boolean failing;

    @Override
    public void next(InferenceResponse response) {
      take(response, "");
    }

    @Override
    public void answer(InferenceResponse response) {
      ended = true;
      take(response, " last, inputs freed: " + inputsFreed);
    }

    @Override
    public void complete() {
      ended = true;
      got.add("complete");
    }

    @Override
    public void fail(InferenceException failure) {
      ended = true;
      got.add("fail: " + failure.getMessage() + ", inputs freed: " + inputsFreed);
    }

    private void take(InferenceResponse response, String remark) {
      try (response) {
        if (failing) {
          throw new IllegalStateException("the connection failed");
        }
        var outputs = response.outputs().stream().map(Tensors::values).toList();
        got.add(outputs + parametersOf(response) + remark);
      }
    }

    private static String parametersOf(InferenceResponse response) {
      return response.parameters().isEmpty() ? "" : response.parameters().toString();
    }
  }

  /** Every request has ended, its inputs were freed once, and no lease is outstanding. */
  @AfterEach
  void everyRequestEndedOnce() {
    assertThat(clients).isNotEmpty().allMatch(client -> client.ended || client.failing);
    assertThat(inputsFreed).hasValue(clients.size());
    assertThat(pool.outstanding()).isZero();
  }

  private BatchResults results(ModelConfig config, int size) {
    for (int i = 0; i < size; i++) {
      var client = new Client();
      clients.add(client);
      requests.add(TestRequest.pending(pool, "r" + i, inputsFreed::incrementAndGet, client));
    }
    return TestRequest.results(config, requests, pool);
  }

  private static void put(BatchResults results, int index, int value) {
    Tensors.fill(results.allocate(index, "OUT", DataType.INT32, Shape.of(1, 1), 4), value);
  }

  private static void send(BatchResults results, int index, int value) {
    put(results, index, value);
    results.send(index);
  }

  private List<String> got(int index) {
    return clients.get(index).got;
  }

  @Test
  void sendsEachResponseOfADecoupledModelAtOnce() {
    BatchResults results = results(DECOUPLED, 1);

    put(results, 0, 1);
    results.parameter(0, "key", new Parameter.OfLong(7));
    results.send(0);
    assertThat(got(0)).containsExactly("[[1]]{key=OfLong[value=7]}");
    send(results, 0, 2);
    assertThat(got(0)).hasSize(2).endsWith("[[2]]");
    results.finish(0);
    assertThat(got(0)).hasSize(3).endsWith("complete");

    results.deliver();
    assertThat(got(0)).hasSize(3);
  }

  @Test
  void sendsUnsentOutputsAsTheLastResponse() {
    BatchResults results = results(DECOUPLED, 1);
    send(results, 0, 1);
    put(results, 0, 2);
    results.deliver();

    assertThat(got(0)).containsExactly("[[1]]", "[[2]] last, inputs freed: 1");
  }

  @Test
  void completesADecoupledRequestWithoutAResponse() {
    BatchResults results = results(DECOUPLED, 1);
    results.allocate(0, "NOT_ASKED_FOR", DataType.INT32, Shape.of(1, 1), 4);
    results.deliver();

    assertThat(got(0)).containsExactly("complete");
  }

  @Test
  void finishDropsUnsentOutputs() {
    BatchResults results = results(DECOUPLED, 1);
    results.give(0, Tensors.ints("OUT", Shape.of(1, 1), 1), released::incrementAndGet);
    results.finish(0);

    assertThat(released).hasValue(1);
    results.deliver();
    assertThat(got(0)).containsExactly("complete");
  }

  @Test
  void aDecoupledRequestMayFailAfterResponsesApartFromTheOthers() {
    BatchResults results = results(DECOUPLED, 2);
    send(results, 0, 1);
    put(results, 0, 2);
    results.fail(0, InferenceException.invalid("enough"));
    assertThat(got(0)).containsExactly("[[1]]", "fail: enough, inputs freed: 0");

    send(results, 1, 3);
    results.failAll(InferenceException.internal("broken"));
    assertThat(got(1)).containsExactly("[[3]]", "fail: broken, inputs freed: 0");
    results.deliver();
    assertThat(got(0)).hasSize(2);
    assertThat(got(1)).hasSize(2);
  }

  @Test
  void sendsAnEarlyResponseBeforeTheInputsAreFreed() {
    BatchResults results = results(SINGLE, 2);
    send(results, 0, 1);
    assertThat(got(0)).containsExactly("[[1]] last, inputs freed: 0");
    assertThat(got(1)).isEmpty();

    put(results, 1, 2);
    results.deliver();
    assertThat(got(1)).containsExactly("[[2]] last, inputs freed: 2");
    assertThat(got(0)).hasSize(1);
  }

  @Test
  void sendsAFailureAfterTheInputsAreFreed() {
    BatchResults results = results(SINGLE, 1);
    put(results, 0, 1);
    results.fail(0, InferenceException.invalid("no"));
    assertThat(got(0)).isEmpty();
    results.deliver();

    assertThat(got(0)).containsExactly("fail: no, inputs freed: 1");
  }

  @Test
  void rejectsResponsesAfterTheEndOfARequest() {
    BatchResults results = results(DECOUPLED, 2);
    results.finish(0);
    assertThatIllegalStateException().isThrownBy(() -> results.send(0)).withMessageContaining("r0");
    assertThatIllegalStateException().isThrownBy(() -> results.finish(0));
    results.fail(1, InferenceException.invalid("no"));
    assertThatIllegalStateException().isThrownBy(() -> results.send(1));
    results.give(0, Tensors.ints("OUT", Shape.of(1, 1), 1), released::incrementAndGet);
    assertThat(released).hasValue(1);
    put(results, 0, 1);

    results.deliver();
    assertThat(got(0)).containsExactly("complete");
  }

  @Test
  void aFailingReceiverDoesNotAffectTheOthers() {
    BatchResults results = results(DECOUPLED, 2);
    clients.getFirst().failing = true;
    send(results, 0, 1);
    send(results, 1, 2);
    results.deliver();

    assertThat(got(1)).containsExactly("[[2]]", "complete");
  }

  @Test
  void freesTheOutputsOfACancelledRequest() {
    BatchResults results = results(DECOUPLED, 1);
    send(results, 0, 1);
    requests.getFirst().promise().cancel();
    send(results, 0, 2);
    assertThat(pool.outstanding()).as("the inputs alone").isEqualTo(1);
    results.deliver();

    assertThat(got(0)).hasSize(2).startsWith("[[1]]");
  }
}
