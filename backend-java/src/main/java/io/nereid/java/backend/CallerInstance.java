package io.nereid.java.backend;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.java.Calls;
import io.nereid.java.Request;
import io.nereid.java.Response;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An instance of a simple model that calls other models. It answers each request, or all of a batch
 * together, on a thread beside its own, and goes on with the next once they are answered or have
 * begun a call. So a model that computes keeps its instance, and one that waits for another does
 * not. The threads are platform threads: what the model computes must not keep the carriers of the
 * server's virtual threads. There are as many as requests that wait, which the server bounds.
 */
final class CallerInstance implements ModelInstance {
  private final ModelConfig config;
  private final ReturnedOutputs returned;
  private final ModelObject object;
  private final System.Logger logger;
  private final ExecutorService threads;

  /**
   * @param name the instance's, for its threads
   * @param logger of the backend
   */
  CallerInstance(ModelConfig config, ModelObject object, String name, System.Logger logger) {
    this.config = config;
    this.returned = new ReturnedOutputs(config);
    this.object = object;
    this.logger = logger;
    this.threads =
        Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("java model " + name + " ", 1).factory());
  }

  @Override
  public void execute(Batch batch, Results results) {
    List<LaterRequest> requests = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      requests.add(new LaterRequest(config, results.detach(i)));
    }
    if (object.isBatched()) {
      begin(requests);
    } else {
      requests.forEach(request -> begin(List.of(request)));
    }
  }

  /** Has requests answered; waits until they are, or a model is called for one of them. */
  private void begin(List<LaterRequest> requests) {
    var instanceIsFree = new CompletableFuture<Boolean>();
    try {
      threads.execute(() -> {
        try {
          answer(requests, () -> instanceIsFree.complete(true));
        } finally {
          instanceIsFree.complete(true);
        }
      });
    } catch (Throwable noThread) { // no memory for one more
      failAll(requests, noThread);
      return;
    }
    var _ = instanceIsFree.join();
  }

  private void answer(List<LaterRequest> requests, Runnable onCall) {
    List<Response> responses;
    try {
      List<Request> asked = List.copyOf(requests);
      List<Calls> calls = requests.stream().map(request -> request.calls(onCall)).toList();
      responses = object.infer(asked, calls);
    } catch (InferenceException failed) {
      requests.forEach(request -> request.fail(failed));
      return;
    } catch (Throwable bug) { // each request needs an end
      failAll(requests, bug);
      return;
    } finally {
      var _ = Thread.interrupted(); // what the model has left is no concern of the next request
    }
    for (int i = 0; i < requests.size(); i++) {
      requests.get(i).answer(responses.get(i), returned);
    }
  }

  private void failAll(List<LaterRequest> requests, Throwable bug) {
    requests.forEach(request -> request.fail(InferenceException.unexpected(bug)));
    logger.log(Level.ERROR, "model '%s' failed unexpectedly".formatted(config.name()), bug);
  }

  /** The object is the model's. All requests have ended. */
  @Override
  public void close() {
    threads.close();
  }
}
