package io.nereid.tck.execution;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelCalls;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A batch in memory of its own, which ends when the batch is closed: a backend that kept one of its
 * tensors gets an exception from then on.
 */
public final class TestBatch implements Batch, AutoCloseable {
  private final ModelConfig config;
  private final Arena arena = Arena.ofShared();
  private final LongFunction<MemorySegment> allocator;
  private final List<InferenceRequest> requests = new ArrayList<>();
  private final List<List<Tensor>> sources = new ArrayList<>();
  private final GatheredInputs gathered;
  private final BitSet padding = new BitSet();
  private final BitSet cancelled = new BitSet();
  private final Map<Integer, TestCalls> calls = new HashMap<>();
  private Map<String, StandInModel> standIns = Map.of();
  private final CancelAction cancelAction = new CancelAction();
  private boolean cancelAtResponse;
  private @Nullable Runnable whenUsed;

  /** Guarded by this. */
  private final List<TestDetached> detached = new ArrayList<>();

  /** A batch in ordinary memory. */
  public TestBatch(ModelConfig config) {
    this.config = config;
    this.allocator = byteSize -> arena.allocate(byteSize, 64);
    this.gathered = new GatheredInputs(config, this, allocator);
  }

  /** A batch in memory from {@code allocator}, which must outlive it. */
  public TestBatch(ModelConfig config, LongFunction<MemorySegment> allocator) {
    this.config = config;
    this.allocator = allocator;
    this.gathered = new GatheredInputs(config, this, allocator);
  }

  /** Adds a request for all outputs; its inputs are copied. */
  public TestBatch add(List<Tensor> inputs) {
    return add(inputs, config.outputs().stream().map(TensorConfig::name).toList());
  }

  /** Adds a request for some outputs; its inputs are copied. */
  public TestBatch add(List<Tensor> inputs, List<String> outputs) {
    return add("request-" + requests.size(), inputs, outputs);
  }

  /** Adds a request for some outputs, with an id; its inputs are copied. */
  public TestBatch add(String id, List<Tensor> inputs, List<String> outputs) {
    return add(id, inputs, outputs, RequestOptions.NONE);
  }

  private TestBatch add(
      String id, List<Tensor> inputs, List<String> outputs, RequestOptions options) {
    var copies = inputs.stream().map(this::copy).toList();
    var key = new ModelKey(config.name(), 1);
    requests.add(new InferenceRequest(key, id, copies, outputs, options));
    sources.add(List.copyOf(inputs));
    return this;
  }

  /** Adds a request; its inputs are copied. */
  public TestBatch add(SampleRequest request) {
    List<String> outputs =
        request.outputs().isEmpty()
            ? config.outputs().stream().map(TensorConfig::name).toList()
            : request.outputs();
    return add("request-" + requests.size(), request.inputs(), outputs, request.options());
  }

  /** Adds requests; their inputs are copied. */
  public TestBatch addAll(List<SampleRequest> added) {
    added.forEach(this::add);
    return this;
  }

  /** Adds a row without a request, as a direct sequence batch has; its inputs are copied. */
  public TestBatch addPadding(List<Tensor> inputs) {
    padding.set(requests.size());
    return add(inputs, List.of());
  }

  /** Sets what stands for the models that are called. */
  public TestBatch standIns(Map<String, StandInModel> models) {
    standIns = models;
    return this;
  }

  /** Whether the inputs, gathered or not, still hold the bytes that they were made with. */
  public boolean inputsAreUntouched() {
    if (!gathered.areUntouched()) {
      return false;
    }
    for (int i = 0; i < requests.size(); i++) {
      var inputs = requests.get(i).inputs();
      for (int k = 0; k < inputs.size(); k++) {
        if (inputs.get(k).data().mismatch(sources.get(i).get(k).data()) != -1) {
          return false;
        }
      }
    }
    return true;
  }

  /** Fills all inputs with a byte, as another batch would that gets the same memory. */
  public void overwrite(byte fill) {
    requests.forEach(request -> request.inputs().forEach(input -> input.data().fill(fill)));
    gathered.overwrite(fill);
  }

  /** Cancels all requests. */
  public void cancel() {
    cancelAction.cancel();
    List<TestDetached> told;
    synchronized (this) {
      told = List.copyOf(detached);
    }
    told.forEach(TestDetached::cancelled);
  }

  /** Cancels one request of several, before the batch is executed. */
  public void cancel(int index) {
    cancelled.set(index);
  }

  /** Runs an action on cancellation, of the batch or of a detached request. */
  void runAction(Runnable action) {
    cancelAction.run(action);
  }

  /** The longest time that an action on cancellation took. */
  public Duration actionTime() {
    return cancelAction.longest();
  }

  /** Has something done at each use of the batch and its results, by the thread that executes. */
  public TestBatch whenUsed(Runnable action) {
    whenUsed = action;
    return this;
  }

  /** The batch or its results are used. */
  void used() {
    Runnable action = whenUsed;
    if (action != null) {
      action.run();
    }
  }

  /** Tells a request of a cancellation that follows. */
  synchronized void add(TestDetached request) {
    detached.add(request);
  }

  /** Fills gathered inputs with a byte, as the next batch would that gets the same memory. */
  public void overwriteGathered(byte fill) {
    gathered.overwriteOwn(fill);
  }

  /** Has all requests cancelled by the first response that is sent. */
  public TestBatch cancelAtFirstResponse() {
    cancelAtResponse = true;
    return this;
  }

  /** A response was sent. */
  void sent() {
    if (cancelAtResponse) {
      cancel();
    }
  }

  /** Ends the execution: no action on cancellation begins any more, and one that runs ends. */
  void end() {
    cancelAction.end();
    calls.values().forEach(TestCalls::close);
  }

  @Override
  public ModelCalls calls(int index) {
    if (isPadding(index)) {
      throw new IllegalArgumentException("row %d is padding: nobody asks for it".formatted(index));
    }
    return calls.computeIfAbsent(index, _ -> makeCalls());
  }

  /** Calls that who asks for them ends. */
  TestCalls makeCalls() {
    return new TestCalls(config, standIns);
  }

  @Override
  public int size() {
    return requests.size();
  }

  @Override
  public InferenceRequest request(int index) {
    return requests.get(index);
  }

  @Override
  public long rows() {
    return requests.stream().mapToLong(request -> request.rows(config)).sum();
  }

  @Override
  public boolean isPadding(int index) {
    return padding.get(index);
  }

  @Override
  public Optional<Tensor> input(int index, String name) {
    return requests.get(index).inputs().stream()
        .filter(input -> input.name().equals(name))
        .findFirst();
  }

  @Override
  public Optional<Tensor> gathered(String name) {
    return gathered.input(name);
  }

  /** The states that a model declares; none if it is no sequence model. */
  static Stream<State> states(ModelConfig config) {
    return config.sequence().stream().flatMap(sequence -> sequence.states().stream());
  }

  @Override
  public Tensor state(int index, String inputName) {
    return states(config)
        .filter(state -> state.inputName().equals(inputName))
        .findFirst()
        .flatMap(_ -> input(index, inputName))
        .orElseThrow(() ->
            InferenceException.invalid("the model declares no state '%s'".formatted(inputName)));
  }

  @Override
  public boolean isCancelled() {
    return cancelAction.isCancelled();
  }

  @Override
  public boolean isCancelled(int index) {
    Objects.checkIndex(index, size());
    return isCancelled() || cancelled.get(index);
  }

  @Override
  public Optional<Duration> remaining(int index) {
    Objects.checkIndex(index, size());
    return Optional.empty(); // the requests of the kit have no deadline
  }

  @Override
  public void onCancel(Runnable action) {
    cancelAction.set(action);
  }

  @Override
  public synchronized void close() {
    detached.forEach(TestDetached::closeInputs);
    arena.close();
  }

  private Tensor copy(Tensor source) {
    MemorySegment target = allocator.apply(source.byteSize());
    Elements.copy(source.data(), target);
    return new Tensor(source.name(), source.dataType(), source.shape(), target);
  }
}
