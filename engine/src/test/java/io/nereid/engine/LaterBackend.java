package io.nereid.engine;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Detaches each request, which a test answers: OUT is IN. */
public final class LaterBackend implements BackendProvider {
  static final String NAME = "later";

  private static final BlockingQueue<DetachedRequest> DETACHED = new LinkedBlockingQueue<>();

  /** The models that are loaded and not closed. */
  static final AtomicInteger LOADED = new AtomicInteger();

  /** The next request that was detached. */
  static DetachedRequest take() {
    try {
      return Objects.requireNonNull(DETACHED.poll(60, TimeUnit.SECONDS), "nothing was detached");
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  /** Whether no request was detached that is not taken. */
  static boolean isEmpty() {
    return DETACHED.isEmpty();
  }

  /** Answers a request. */
  static void answer(DetachedRequest request) {
    var in = request.input("IN").orElseThrow();
    if (request.wants("OUT")) {
      request.allocate("OUT", in.dataType(), in.shape(), in.byteSize()).copyFrom(in.data());
    }
    request.send();
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened();
  }

  private static final class Opened implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      LOADED.incrementAndGet();
      return new Loaded();
    }

    @Override
    public void close() {}
  }

  private static final class Loaded implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new Instance();
    }

    @Override
    public void close() {
      LOADED.decrementAndGet();
    }
  }

  private static final class Instance implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      for (int i = 0; i < batch.size(); i++) {
        DETACHED.add(results.detach(i));
      }
    }

    @Override
    public void close() {}
  }
}
