package io.nereid.server.support;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.echo.StatelessBackend;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

/**
 * A backend of a decoupled model that sends what a test tells it to, one step after another. One
 * test may use it at a time, for one request at a time.
 */
public final class TokenBackend implements BackendProvider {
  /** What the model does next. */
  public sealed interface Step {
    /** Sends a response, in which {@code TOKEN} is that text. */
    record Token(String text) implements Step {}

    /** Sends responses of so many bytes until the request is cancelled. */
    record Flood(int byteSize) implements Step {}

    /** Ends the request with a failure. */
    record Failure(InferenceException reason) implements Step {}

    /** Ends the request. */
    record End() implements Step {}

    /** The request was cancelled: the execution ends. */
    record Cancelled() implements Step {}
  }

  private static final BlockingQueue<Step> STEPS = new LinkedBlockingQueue<>();

  /** Has a permit for each execution that has ended after its cancellation. */
  public static final Semaphore CANCELLED = new Semaphore(0);

  /** Tells the model what to do. */
  public static void tell(Step... steps) {
    STEPS.addAll(List.of(steps));
  }

  /** Forgets what former tests have left. */
  public static void reset() {
    STEPS.clear();
    CANCELLED.drainPermits();
  }

  @Override
  public String name() {
    return "tokens";
  }

  @Override
  public Backend open(BackendContext context) {
    return new StatelessBackend(_ -> {}, TokenBackend::execute);
  }

  private static void execute(Batch batch, Results results) {
    batch.onCancel(() -> STEPS.add(new Step.Cancelled()));
    try {
      while (perform(STEPS.take(), batch, results)) {}
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether the request goes on. */
  private static boolean perform(Step step, Batch batch, Results results) {
    return switch (step) {
      case Step.Token(String text) -> {
        send(results, text);
        yield true;
      }
      case Step.Flood(int byteSize) -> {
        String text = "x".repeat(byteSize);
        while (!batch.isCancelled()) {
          send(results, text);
        }
        yield true;
      }
      case Step.Failure(InferenceException reason) -> {
        results.fail(0, reason);
        yield false;
      }
      case Step.End() -> {
        results.finish(0);
        yield false;
      }
      case Step.Cancelled() -> {
        CANCELLED.release();
        results.finish(0);
        yield false;
      }
    };
  }

  private static void send(Results results, String text) {
    byte[] token = text.getBytes(UTF_8);
    long byteSize = BytesElements.byteSize(List.of(token));
    var target = results.allocate(0, "TOKEN", DataType.BYTES, Shape.of(1), byteSize);
    BytesElements.put(target, 0, token);
    results.activity(0, "TOKEN", System.nanoTime());
    results.send(0);
  }
}
