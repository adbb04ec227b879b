package io.nereid.server.support;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import java.util.concurrent.CountDownLatch;

/** A backend whose loads take for ever unless they are cancelled. One test may use it at a time. */
public final class SlowLoadBackend implements BackendProvider {
  /** The configuration of a model. */
  public static final String CONFIG =
      """
      backend: "slow_load"
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 1 kind: KIND_CPU }
      """;

  private static volatile CountDownLatch begun = new CountDownLatch(1);

  /** Reaches 0 when the next load has begun. */
  public static CountDownLatch nextLoad() {
    var next = new CountDownLatch(1);
    begun = next;
    return next;
  }

  @Override
  public String name() {
    return "slow_load";
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened(new CountDownLatch(1));
  }

  private record Opened(CountDownLatch cancelled) implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      begun.countDown();
      try {
        cancelled.await();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
      throw InferenceException.unavailable("Server exiting");
    }

    @Override
    public void cancelLoads() {
      cancelled.countDown();
    }

    @Override
    public void close() {}
  }
}
