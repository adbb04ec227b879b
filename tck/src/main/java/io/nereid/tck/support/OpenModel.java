package io.nereid.tck.support;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A model with one instance, opened and called as a server does it: completed, loaded, and the
 * instance on one platform thread of its own from open to close.
 */
public final class OpenModel implements AutoCloseable {
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Backend backend;
  private final ModelConfig config;
  private final Model model;
  private final ModelInstance instance;

  private OpenModel(BackendUnderTest tested) {
    backend = tested.provider().open(tested.settings());
    try {
      config = backend.complete(tested.files(), tested.config());
      model = backend.load(tested.files(), config);
      instance = onInstanceThread(() -> model.open(tested.instance(0)));
    } catch (RuntimeException failure) {
      thread.shutdown();
      throw failure;
    }
  }

  public static OpenModel of(BackendUnderTest tested) {
    return new OpenModel(tested);
  }

  /**
   * The results of one call of execute.
   *
   * @param answers by request, in order; all empty if execute threw
   * @param states by request and output name: the new states of its sequence
   * @param violations of the contract of {@link io.nereid.spi.Results}
   * @param inputsUntouched whether the inputs' bytes are as they were
   */
  public record Execution(
      List<List<Outcome>> answers,
      List<Map<String, Tensor>> states,
      List<String> violations,
      boolean inputsUntouched) {
    /** The tensors of the single response to a request, by name. */
    public Outcome.Outputs outputs(int request) {
      if (!violations.isEmpty()) {
        throw new AssertionError("contract broken: " + violations);
      }
      var answered = answers.get(request);
      if (answered.size() != 1) {
        throw new AssertionError("request %d got %d answers".formatted(request, answered.size()));
      }
      return switch (answered.getFirst()) {
        case Outcome.Outputs outputs -> outputs;
        case Outcome.Failure failure ->
            throw new AssertionError("request %d failed".formatted(request), failure.exception());
      };
    }
  }

  /** The completed configuration. */
  public ModelConfig config() {
    return config;
  }

  public ModelInstance instance() {
    return instance;
  }

  /** Makes calls on the instance's thread. */
  public <T> T call(Callable<T> calls) {
    return onInstanceThread(calls);
  }

  /** Runs a batch of requests for all outputs; its memory ends with the call. */
  public Execution execute(List<List<Tensor>> requests) {
    try (var batch = new TestBatch(config)) {
      requests.forEach(batch::add);
      return execute(batch);
    }
  }

  /** Whether the model declares that it fills its outputs. */
  public boolean fillsOutputs() {
    return model.fillsOutputs();
  }

  /** Runs a batch, which stays the caller's. */
  public Execution execute(TestBatch batch) {
    return execute(batch, (byte) 0);
  }

  /**
   * Runs a batch, which stays the caller's.
   *
   * @param fill each byte of the memory that is allocated for outputs
   */
  public Execution execute(TestBatch batch, byte fill) {
    return onInstanceThread(() -> {
      try (var results = new TestResults(config, batch, fill)) {
        try {
          instance.execute(batch, results);
        } catch (InferenceException failure) {
          results.failOpen(failure);
        }
        boolean untouched = batch.inputsAreUntouched();
        var answers = results.answers();
        return new Execution(answers, results.states(), results.violations(), untouched);
      }
    });
  }

  @Override
  public void close() {
    try {
      onInstanceThread(() -> {
        instance.close();
        return true;
      });
    } finally {
      thread.shutdown();
      model.close();
      backend.close();
    }
  }

  private <T> T onInstanceThread(Callable<T> call) {
    try {
      return thread.submit(call).get();
    } catch (ExecutionException thrown) {
      switch (thrown.getCause()) {
        case RuntimeException exception -> throw exception;
        case Error error -> throw error;
        case null, default -> throw new AssertionError(thrown);
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new AssertionError(stop);
    }
  }
}
