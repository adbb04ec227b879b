package io.nereid.instance;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.exchange.PendingRequest;
import io.nereid.memory.BufferPool;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The thread of one instance: opens it, runs what comes through the ring, closes it. Nobody else
 * touches the instance, but for asking whether it is healthy.
 */
final class InstanceRunner {
  private static final System.Logger LOG = System.getLogger(InstanceRunner.class.getName());

  private final ModelConfig config;
  private final Model model;
  private final InstanceSettings settings;
  private final RequestRing.Reader ring;
  private final BufferPool pool;
  private final CompletableFuture<ModelInstance> opened = new CompletableFuture<>();
  private final Thread thread;

  InstanceRunner(
      ModelConfig config,
      Model model,
      InstanceSettings settings,
      RequestRing.Reader ring,
      BufferPool pool) {
    this.config = config;
    this.model = model;
    this.settings = settings;
    this.ring = ring;
    this.pool = pool;
    this.thread = Thread.ofPlatform().name("instance " + settings.name()).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /**
   * Waits until the instance is open.
   *
   * @throws InferenceException why it could not be opened
   */
  void awaitOpen() {
    try {
      opened.join();
    } catch (java.util.concurrent.CompletionException failed) {
      throw asInferenceException(String.valueOf(settings.name()), failed.getCause());
    }
  }

  boolean isHealthy() {
    ModelInstance instance = opened.isCompletedExceptionally() ? null : opened.getNow(null);
    return instance != null && instance.isHealthy();
  }

  /** Waits until the thread has closed the instance; after the ring has stopped. */
  void join() throws InterruptedException {
    thread.join();
  }

  private void run() {
    ModelInstance instance;
    try {
      instance = model.open(settings);
    } catch (Throwable refused) { // the loader waits for an answer, whatever happened
      opened.completeExceptionally(refused);
      return;
    }
    try (instance;
        var gatherBuffers = new GatherBuffers(pool)) {
      opened.complete(instance);
      if (settings.passive()) {
        ring.awaitStop();
        return;
      }
      PendingRequest request = ring.take();
      while (request != null) {
        execute(instance, List.of(request), gatherBuffers);
        request = ring.take();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void execute(
      ModelInstance instance, List<PendingRequest> requests, GatherBuffers gatherBuffers) {
    var batch = new RequestBatch(config, requests, gatherBuffers);
    var results = new BatchResults(config, requests, pool);
    try {
      if (batch.isCancelled()) {
        results.failAll(InferenceException.cancelled()); // nobody waits: spare the model
      } else {
        instance.execute(batch, results);
      }
    } catch (Throwable thrown) { // an instance outlives whatever one batch does to it
      results.failAll(asInferenceException(config.name(), thrown));
    } finally {
      batch.end();
      results.deliver();
    }
  }

  private static InferenceException asInferenceException(String name, @Nullable Throwable thrown) {
    if (thrown instanceof InferenceException failure) {
      return failure;
    }
    LOG.log(System.Logger.Level.ERROR, "'" + name + "' failed unexpectedly", thrown);
    return new InferenceException(
        StatusCode.INTERNAL, "'%s' failed unexpectedly: %s".formatted(name, thrown), thrown);
  }
}
