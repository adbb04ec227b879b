package io.nereid.tck.echo;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The backend of a decoupled model: sends one response for each element of {@code IN}, in which
 * {@code OUT} is the element and {@code IDX} its index. A negative element fails the request. With
 * the parameter {@code hold} a request does not end, but waits for its cancellation.
 */
public final class RepeatBackend implements BackendProvider {
  /**
   * Longer than any test waits; a server that does not forward a cancellation can stop after it.
   */
  private static final int MAX_HOLD_SECONDS = 30;

  @Override
  public String name() {
    return "tck_repeat";
  }

  @Override
  public Backend open(BackendContext context) {
    return new StatelessBackend(RepeatBackend::check, RepeatBackend::execute);
  }

  private static void check(ModelConfig config) {
    if (!config.decoupled()) {
      throw InferenceException.invalid(
          "model '%s' must be decoupled to repeat".formatted(config.name()));
    }
  }

  private static void execute(Batch batch, Results results) {
    for (int i = 0; i < batch.size(); i++) {
      try {
        repeat(batch.input(i, "IN").orElseThrow(), i, batch, results);
        if (batch.request(i).options().parameters().containsKey("hold")) {
          awaitCancel(batch);
        }
        results.finish(i);
      } catch (InferenceException rejected) {
        results.fail(i, rejected);
      }
    }
  }

  private static void repeat(Tensor input, int i, Batch batch, Results results) {
    long count = input.shape().elementCount();
    for (long element = 0; element < count && !batch.isCancelled(); element++) {
      int value = input.data().get(Elements.INT, element * Integer.BYTES);
      if (value < 0) {
        throw InferenceException.invalid("IN[%d] is %d".formatted(element, value));
      }
      put(results, i, "OUT", DataType.INT32, value);
      put(results, i, "IDX", DataType.UINT32, (int) element);
      results.send(i);
    }
  }

  private static void put(Results results, int i, String output, DataType type, int value) {
    if (results.wants(i, output)) {
      results.allocate(i, output, type, Shape.of(1), Integer.BYTES).set(Elements.INT, 0, value);
    }
  }

  private static void awaitCancel(Batch batch) {
    var cancelled = new CountDownLatch(1);
    batch.onCancel(cancelled::countDown);
    try {
      if (!cancelled.await(MAX_HOLD_SECONDS, TimeUnit.SECONDS)) {
        throw InferenceException.internal("held for %d s".formatted(MAX_HOLD_SECONDS));
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
