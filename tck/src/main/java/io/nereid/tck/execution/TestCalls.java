package io.nereid.tck.execution;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.spi.OwnCalls;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Calls of models that others stand for. As in the server they end with the execution: what is open
 * is closed, each in memory of its own, so that a backend which reads it later gets an exception.
 */
final class TestCalls implements OwnCalls.Session {
  /** Between the names of a model and of a part of it. */
  static final String PART = "/";

  private final ModelConfig config;
  private final Map<String, StandInModel> models;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<CompletableFuture<CallResponse>> running = new ArrayList<>();
  private boolean ended;

  TestCalls(ModelConfig config, Map<String, StandInModel> models) {
    this.config = config;
    this.models = Map.copyOf(models);
  }

  private synchronized StandInModel model(String name) {
    if (ended) {
      throw new IllegalStateException(
          "model '%s' used the calls of a request that has ended".formatted(config.name()));
    }
    if (!config.calls().contains(name) && !name.startsWith(config.name() + PART)) {
      throw InferenceException.internal(
          "model '%s' calls model '%s', which its configuration does not name in parameter '%s': %s"
              .formatted(config.name(), name, ModelConfig.CALLS, config.calls()));
    }
    return standIn(models, name);
  }

  static StandInModel standIn(Map<String, StandInModel> models, String name) {
    StandInModel model = models.get(name);
    if (model == null) {
      throw new IllegalStateException(
          "nothing stands for model '%s': name it in BackendFactory.calledModels".formatted(name));
    }
    return model;
  }

  @Override
  public CallResponse infer(ModelCall call) {
    return response(call, model(call.model()).outputs(call));
  }

  @Override
  public CompletableFuture<CallResponse> inferAsync(ModelCall call) {
    StandInModel model;
    try {
      model = model(call.model());
    } catch (InferenceException refused) {
      return CompletableFuture.failedFuture(refused);
    }
    CompletableFuture<CallResponse> future =
        CompletableFuture.supplyAsync(
            () -> response(call, model.outputs(call)), task -> Thread.ofVirtual().start(task));
    synchronized (this) {
      running.add(future);
    }
    return future;
  }

  @Override
  public CallResponses stream(ModelCall call) {
    Iterator<List<Tensor>> responses = model(call.model()).responses(call).iterator();
    return new CallResponses() {
      @Override
      public Optional<CallResponse> next() {
        return responses.hasNext()
            ? Optional.of(response(call, responses.next()))
            : Optional.empty();
      }

      @Override
      public void close() {
        responses.forEachRemaining(_ -> {});
      }
    };
  }

  @Override
  public CallMemory allocate(String name, long byteSize) {
    var _ = model(name);
    Arena arena = Arena.ofShared();
    return keepOpen(new CallMemory(arena.allocate(byteSize, 64), arena::close));
  }

  private CallResponse response(ModelCall call, List<Tensor> outputs) {
    Arena arena = Arena.ofShared();
    List<Tensor> copies = new ArrayList<>();
    for (Tensor output : outputs) {
      if (call.outputs().isEmpty() || call.outputs().contains(output.name())) {
        MemorySegment copy = arena.allocate(output.byteSize(), 64);
        Elements.copy(output.data(), copy);
        copies.add(new Tensor(output.name(), output.dataType(), output.shape(), copy));
      }
    }
    var key = new ModelKey(call.model(), call.version().orElse(1));
    return keepOpen(new CallResponse(key, Map.of(), copies, arena::close));
  }

  private synchronized <T extends AutoCloseable> T keepOpen(T closeable) {
    open.add(closeable);
    return closeable;
  }

  /** Ends the calls with the execution. */
  @Override
  public void close() {
    List<CompletableFuture<CallResponse>> left;
    synchronized (this) {
      ended = true;
      left = List.copyOf(running);
    }
    left.forEach(future -> {
      var _ = future.handle((_, _) -> true).join();
    });
    List<AutoCloseable> closed;
    synchronized (this) {
      closed = List.copyOf(open);
    }
    for (AutoCloseable each : closed) {
      try {
        each.close();
      } catch (Exception failed) {
        throw new IllegalStateException(failed);
      }
    }
  }
}
