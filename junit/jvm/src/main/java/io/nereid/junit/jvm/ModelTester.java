package io.nereid.junit.jvm;

import io.nereid.client.NereidClient;
import io.nereid.client.engine.EngineTransport;
import io.nereid.engine.Engine;
import io.nereid.java.JavaModel;
import io.nereid.java.backend.JavaBackendProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A Java model in an engine of its own, for unit tests: without a server and a socket, with lambdas
 * in place of the models that it calls. Configuration, inputs, outputs and calls are checked as in
 * a server. Needs no framework of tests; used by one thread, its client by any.
 *
 * <pre>{@code
 * try (ModelTester model =
 *     ModelTester.of(Path.of("models/greeting"))
 *         .stub("names", (request, calls) -> Response.of(TensorArrays.of("name", List.of("Ada"), 1)))
 *         .open()) {
 *   InferResponse response = model.client().infer(InferRequest.to("greeting")...build());
 *   assertEquals("Hello Ada", response.output("text").strings()[0]);
 * }
 * }</pre>
 *
 * <p>The close fails if the model has left something open: see {@link #leaks}.
 */
public final class ModelTester implements AutoCloseable {
  /** The longest that a test waits for the model. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);

  private final TestRepository repository;
  private final ModelWatch watch;
  private final Engine engine;
  private final NereidClient client;

  private ModelTester(TestRepository repository, ModelWatch watch, Engine engine) {
    this.repository = repository;
    this.watch = watch;
    this.engine = engine;
    this.client = EngineTransport.connect(engine);
  }

  /**
   * A model of a repository, whose code is compiled or loaded as a server does.
   *
   * @param folder with {@code config.pbtxt} and the versions, such as {@code models/greeting}; its
   *     name is the model's
   */
  public static Builder of(Path folder) {
    return new Builder(folder);
  }

  /** Says what a tester needs. Used by one thread. */
  public static final class Builder {
    private final Path folder;
    private final Map<String, Supplier<?>> objects = new LinkedHashMap<>();
    private final Map<String, String> configs = new LinkedHashMap<>();

    private Builder(Path folder) {
      this.folder = folder.toAbsolutePath().normalize();
    }

    /**
     * Uses a class of the test's class path in place of the code in the folder: so a report of
     * coverage has it, and the test sees its static fields. The folder needs no version then.
     *
     * @param type a {@link JavaModel}, {@link io.nereid.java.BatchJavaModel} or {@link
     *     io.nereid.spi.BackendProvider} with a public constructor without parameters
     */
    public Builder code(Class<?> type) {
      Objects.requireNonNull(type, "the class of the model is null");
      objects.put(TestRepository.name(folder), () -> type);
      return this;
    }

    /**
     * Has a lambda stand for a model that this one calls. Inputs and outputs are those of its
     * {@code config.pbtxt}, which is beside this model's folder.
     *
     * @param stub called by the threads of the engine; what it throws is the failure of the call
     * @throws IllegalArgumentException if the model has a stub
     */
    public Builder stub(String model, JavaModel stub) {
      Objects.requireNonNull(stub, () -> "the stub of model '%s' is null".formatted(model));
      if (objects.putIfAbsent(model, () -> stub) != null) {
        throw new IllegalArgumentException("model '%s' is given a second stub".formatted(model));
      }
      return this;
    }

    /**
     * As {@link #stub(String, JavaModel)}, where no {@code config.pbtxt} declares inputs and
     * outputs.
     *
     * @param config the text of one
     */
    public Builder stub(String model, String config, JavaModel stub) {
      configs.put(model, config);
      return stub(model, stub);
    }

    /**
     * Loads the model.
     *
     * @throws io.nereid.error.InferenceException if that fails; the message has the reason, such as
     *     the errors of the compiler
     * @throws IllegalArgumentException if a stub, or the configuration of one, is missing
     */
    public ModelTester open() throws IOException {
      String name = TestRepository.name(folder);
      TestRepository repository = TestRepository.of(folder);
      try {
        for (String model : objects.keySet()) {
          if (!model.equals(name)) {
            repository.addStub(model, configs.get(model));
          }
        }
        for (String called : repository.calls()) {
          if (!objects.containsKey(called)) {
            throw new IllegalArgumentException(
                "model '%s' calls model '%s', which has no stub".formatted(name, called));
          }
        }
        var watch = new ModelWatch(new JavaBackendProvider(objects), name);
        Engine engine =
            Engine.builder()
                .repository(repository.directory())
                .startWith(name)
                .backendSetting("java", "allow", "true")
                .backend(watch)
                .checkMemory()
                .open();
        return new ModelTester(repository, watch, engine);
      } catch (IOException | RuntimeException | Error failed) {
        try (repository) {
          throw failed;
        }
      }
    }
  }

  /** A client of the engine that has the model and its stubs. */
  public NereidClient client() {
    return client;
  }

  /** The engine, for what a client does not have. */
  public Engine engine() {
    return engine;
  }

  /**
   * Waits until the model executes a request, so that a test cancels it then.
   *
   * @throws AssertionError if it has not begun one within ten seconds
   */
  public void awaitExecution() {
    if (!watch.await(/* executes= */ true, MAX_WAIT)) {
      throw new AssertionError(
          "the model has executed no request within %d s".formatted(MAX_WAIT.toSeconds()));
    }
  }

  /**
   * Waits until the model executes no request, as after a cancellation.
   *
   * @throws AssertionError if it still does after ten seconds: it does not ask whether its request
   *     is cancelled, or has not ended a detached one
   */
  public void awaitEnd() {
    if (!watch.await(/* executes= */ false, MAX_WAIT)) {
      throw new AssertionError(
          "the model still executes a request after %d s".formatted(MAX_WAIT.toSeconds()));
    }
  }

  /**
   * What the model had not closed when a request ended: responses and streams of its calls, memory
   * for them, and, once the tester is closed, sessions of its own calls. An engine closes all of it
   * then; until then it is kept from others.
   *
   * @return a sentence each, since the call before; the close does not repeat them
   */
  public List<String> leaks() {
    return watch.takeLeaks();
  }

  /**
   * Unloads the model.
   *
   * @throws AssertionError for {@link #leaks}, or if the model does not end within ten seconds;
   *     then the engine is left open
   */
  @Override
  public void close() throws IOException {
    client.close();
    awaitEnd();
    var closing = CompletableFuture.runAsync(engine::close, task -> Thread.ofVirtual().start(task));
    try {
      closing.get(MAX_WAIT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(
          "the model was not closed within %d s".formatted(MAX_WAIT.toSeconds()), late);
    } catch (ExecutionException bug) {
      throw new AssertionError("the engine was not closed", bug.getCause());
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new AssertionError("the thread that waited for the close was interrupted", stop);
    }
    repository.close();
    List<String> left = leaks();
    if (!left.isEmpty()) {
      throw new AssertionError(String.join("; ", left));
    }
  }
}
