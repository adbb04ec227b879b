package io.nereid.engine.scheduling.ensemble;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.call.CalledModel;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A model whose responses the test sends. */
final class FakeCalledModel implements CalledModel {
  private final ModelConfig config;
  private final CheckedBufferPool pool;
  private final Deque<PendingRequest> held = new ConcurrentLinkedDeque<>();
  private final List<InferenceRequest> seen = new ArrayList<>();
  private final AtomicInteger inside = new AtomicInteger();
  private volatile boolean closing;
  private volatile boolean holding;
  private @Nullable Consumer<FakeCalledModel> onSubmit;
  private @Nullable Executor instances;

  FakeCalledModel(ModelConfig config, CheckedBufferPool pool) {
    this.config = config;
    this.pool = pool;
  }

  /** A model of INT32 vectors without batches. */
  static ModelConfig vectors(String name, List<String> inputs, List<String> outputs) {
    return ModelConfig.of(name, "fake")
        .withSignature(
            0,
            inputs.stream().map(FakeCalledModel::vector).toList(),
            outputs.stream().map(FakeCalledModel::vector).toList());
  }

  private static TensorConfig vector(String name) {
    return TensorConfig.of(name, DataType.INT32, Shape.of(Shape.WILDCARD));
  }

  /** Sets an action for each request, run by the thread that submits it. */
  void whenSubmitted(Consumer<FakeCalledModel> action) {
    onSubmit = action;
  }

  /** Responds to each request by a task of this executor. */
  void answerOn(Executor threads) {
    instances = threads;
  }

  void holdResources() {
    holding = true;
  }

  void beginToClose() {
    closing = true;
  }

  /** The number of requests that keep the model open. */
  int inside() {
    return inside.get();
  }

  /** All requests so far. */
  List<InferenceRequest> seen() {
    return seen;
  }

  /** The number of requests without outcome. */
  int held() {
    return held.size();
  }

  /** The oldest request without outcome. */
  PendingRequest first() {
    return held.element();
  }

  /** The numbers in an input of the oldest request. */
  List<Integer> input(String name) {
    for (Tensor input : first().request().inputs()) {
      if (input.name().equals(name)) {
        return ints(input);
      }
    }
    throw new AssertionError("no input " + name);
  }

  /** Responds to the oldest request: each of its outputs contains {@code value}. */
  void answer(int value) {
    answer(value, Map.of());
  }

  void answer(int value, Map<String, Parameter> parameters) {
    answer(held.remove(), value, parameters);
  }

  private void answer(PendingRequest request, int value, Map<String, Parameter> parameters) {
    Map<String, Tensor> outputs = new HashMap<>();
    InferenceResponse response = response(request, outputs, value, parameters);
    request.promise().computed(4000, 1, 20, 300);
    request.close();
    request.promise().answer(response);
  }

  /** Responds to the newest request. */
  void answerLast(int value) {
    held.addFirst(held.removeLast());
    answer(value);
  }

  /** Responds to the oldest request with these outputs. */
  void answer(Tensor... outputs) {
    PendingRequest request = held.remove();
    request.close();
    request
        .promise()
        .answer(
            new InferenceResponse(
                key(), request.request().id(), Map.of(), List.of(outputs), List.of()));
  }

  /** Sends a response to the oldest request that is not the last. */
  void send(int value) {
    PendingRequest request = held.element();
    request.promise().next(response(request, new HashMap<>(), value, Map.of()));
  }

  /** A response whose outputs are empty and lie in no pool's memory. */
  InferenceResponse withoutMemory(PendingRequest request) {
    List<Tensor> outputs =
        request.request().outputs().stream()
            .map(output -> new Tensor(output, DataType.INT32, Shape.of(0), MemorySegment.NULL))
            .toList();
    return new InferenceResponse(key(), request.id(), Map.of(), outputs, List.of());
  }

  /** Ends the oldest request without a further response. */
  void complete() {
    PendingRequest request = held.remove();
    request.close();
    request.promise().complete();
  }

  void fail(InferenceException failure) {
    PendingRequest request = held.remove();
    request.close();
    request.promise().fail(failure);
  }

  /** Ends the oldest request, which was cancelled. */
  void endCancelled() {
    fail(InferenceException.cancelled());
  }

  private InferenceResponse response(
      PendingRequest request,
      Map<String, Tensor> outputs,
      int value,
      Map<String, Parameter> parameters) {
    List<Runnable> releases = new ArrayList<>();
    for (String output : request.request().outputs()) {
      Shape shape = config.batches() ? Shape.of(request.rows(), 1) : Shape.of(1);
      Lease lease = pool.lease(4 * shape.elementCount());
      for (long at = 0; at < lease.segment().byteSize(); at += 4) {
        lease.segment().set(Elements.INT, at, value);
      }
      outputs.put(output, new Tensor(output, DataType.INT32, shape, lease.segment()));
      releases.add(lease::close);
    }
    return new InferenceResponse(
        key(), request.request().id(), parameters, List.copyOf(outputs.values()), releases);
  }

  static List<Integer> ints(Tensor tensor) {
    return IntStream.range(0, (int) tensor.byteSize() / 4)
        .mapToObj(i -> tensor.data().get(Elements.INT, 4L * i))
        .toList();
  }

  @Override
  public ModelKey key() {
    return new ModelKey(config.name(), 1);
  }

  @Override
  public ModelConfig config() {
    return config;
  }

  @Override
  public boolean holdsResources() {
    return holding;
  }

  @Override
  public boolean isHealthy() {
    return !closing;
  }

  @Override
  public boolean enter() {
    if (closing) {
      return false;
    }
    inside.incrementAndGet();
    return true;
  }

  @Override
  public void leave() {
    inside.decrementAndGet();
  }

  @Override
  public CheckedBufferPool inputPool() {
    return pool;
  }

  @Override
  public void admit(PendingRequest request) {
    if (instances != null) {
      instances.execute(() -> answer(request, 1, Map.of()));
      return;
    }
    seen.add(request.request());
    held.add(request);
    if (onSubmit != null) {
      onSubmit.accept(this);
    }
  }
}
