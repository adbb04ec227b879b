package io.nereid.tck.support;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Results that verify the contract of {@link Results}. Each violation is both recorded in {@link
 * #violations()} and thrown, since a backend may swallow an exception.
 *
 * <p>Call {@link #answers} once, after execute has returned.
 */
public final class TestResults implements Results, AutoCloseable {
  private final ModelConfig config;
  private final TestBatch batch;
  private final byte fill;
  private final Arena arena = Arena.ofShared();
  private final List<Collected> collected = new ArrayList<>();
  private final Violations violations = new Violations();
  private final OutputChecks checks;
  private final BatchSplit split;
  private final List<Runnable> releases = new ArrayList<>();
  private final Thread instanceThread = Thread.currentThread();
  private boolean computing;

  public TestResults(ModelConfig config, TestBatch batch) {
    this(config, batch, (byte) 0);
  }

  /**
   * Results whose memory has a content.
   *
   * @param fill each byte of the memory that is allocated for outputs
   */
  TestResults(ModelConfig config, TestBatch batch, byte fill) {
    this.config = config;
    this.batch = batch;
    this.fill = fill;
    this.checks = new OutputChecks(config, violations);
    this.split = new BatchSplit(config, batch, violations);
    for (int i = 0; i < batch.size(); i++) {
      collected.add(new Collected());
    }
  }

  /** Violations by a backend, in the order of its calls. */
  static final class Violations {
    private final List<String> texts = new ArrayList<>();

    /** Records a violation and returns it, to be thrown. */
    IllegalStateException add(String text, Object... arguments) {
      String violation = text.formatted(arguments);
      texts.add(violation);
      return new IllegalStateException(violation);
    }

    List<String> texts() {
      return List.copyOf(texts);
    }
  }

  private static final class Collected {
    final Map<String, Tensor> tensors = new HashMap<>();
    final Map<String, Tensor> states = new HashMap<>();
    final Map<String, Parameter> parameters = new HashMap<>();
    final List<Outcome> answers = new ArrayList<>();
    boolean ended;
  }

  /** Violations of the contract, in the order of the calls. */
  public List<String> violations() {
    return violations.texts();
  }

  /**
   * The outcomes of the requests, in order: copies their outputs, then releases them. A request
   * that was not ended gets the outputs that it has.
   */
  public List<List<Outcome>> answers() {
    List<List<Outcome>> answers = new ArrayList<>();
    for (int i = 0; i < collected.size(); i++) {
      if (!collected.get(i).ended) {
        answer(i);
      }
      answers.add(List.copyOf(collected.get(i).answers));
    }
    releases.forEach(Runnable::run);
    releases.clear();
    return answers;
  }

  @Override
  public boolean isTraced(int index) {
    return batch.request(index).id().isEmpty(); // either may be, and a backend has to bear both
  }

  @Override
  public void activity(int index, String name, long nanoTime) {
    if (batch.isPadding(index) || name.isEmpty()) {
      throw violations.add("request %d: an activity '%s' of no request or no name", index, name);
    }
  }

  @Override
  public boolean wants(int index, String output) {
    return batch.request(index).outputs().contains(output);
  }

  @Override
  public boolean wants(String output) {
    for (int i = 0; i < batch.size(); i++) {
      if (wants(i, output)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public MemorySegment allocateBatch(String output, DataType dataType, Shape shape) {
    checkThread();
    checks.output(output, dataType, shape);
    if (!dataType.hasFixedSize()) {
      throw violations.add("output '%s': BYTES rows have no size to split a batch by", output);
    }
    var data = arena.allocate(shape.elementCount() * dataType.byteSize(), 64).fill(fill);
    putEach(new Tensor(output, dataType, shape, data));
    return data;
  }

  @Override
  public MemorySegment allocate(
      int index, String output, DataType dataType, Shape shape, long byteSize) {
    checkThread();
    checks.output(output, dataType, shape);
    checks.size(output, dataType, shape, byteSize);
    var data = arena.allocate(byteSize, 64).fill(fill);
    put(index, new Tensor(output, dataType, shape, data));
    return data;
  }

  @Override
  public void giveBatch(Tensor output, Runnable release) {
    releases.add(release);
    checkThread();
    checks.output(output);
    putEach(output);
  }

  @Override
  public void give(int index, Tensor output, Runnable release) {
    releases.add(release);
    checkThread();
    checks.output(output);
    put(index, output);
  }

  @Override
  public void parameter(int index, String name, Parameter value) {
    checkThread();
    collected.get(index).parameters.put(name, value);
  }

  @Override
  public MemorySegment allocateState(
      int index, String outputName, DataType dataType, Shape shape, long byteSize) {
    checkThread();
    TensorConfig declared =
        DeclaredStates.output(config, outputName)
            .orElseThrow(() -> violations.add("the model declares no state '%s'", outputName));
    if (batch.isPadding(index)) {
      throw violations.add("state '%s' is given for padding", outputName);
    }
    checks.declared(declared, dataType, shape);
    checks.size(outputName, dataType, shape, byteSize);
    var data = arena.allocate(byteSize, 64);
    var state = new Tensor(outputName, dataType, shape, data);
    if (collected.get(index).states.put(outputName, state) != null) {
      throw violations.add("request %d is given state '%s' twice", index, outputName);
    }
    return data;
  }

  /** The states of each request, by output name, copied. */
  public List<Map<String, Tensor>> states() {
    List<Map<String, Tensor>> states = new ArrayList<>();
    for (Collected one : collected) {
      Map<String, Tensor> copies = new HashMap<>();
      one.states.forEach((name, tensor) -> copies.put(name, onHeap(tensor)));
      states.add(copies);
    }
    return states;
  }

  @Override
  public void computeStarted() {
    checkThread();
    computing = true;
  }

  @Override
  public void computeEnded() {
    checkThread();
    if (!computing) {
      throw violations.add("the model ends without a start");
    }
  }

  @Override
  public void computed(long inferNanos, long outputNanos) {
    checkThread();
    if (inferNanos < 0 || outputNanos < 0) {
      throw violations.add("the model computes for %d ns, then %d ns", inferNanos, outputNanos);
    }
  }

  @Override
  public void send(int index) {
    checkThread();
    checkOpen(index, "sent");
    answer(index);
    collected.get(index).ended = !config.decoupled();
  }

  @Override
  public void finish(int index) {
    checkThread();
    checkOpen(index, "finished");
    if (!config.decoupled()) {
      throw violations.add(
          "request %d of a model that is not decoupled is finished unanswered", index);
    }
    collected.get(index).ended = true;
  }

  @Override
  public void reschedule(int index) {
    checkThread();
    checkOpen(index, "rescheduled");
    if (!config.sequence().map(SequenceSettings::iterative).orElse(false)) {
      throw violations.add("request %d of a model that is not iterative is rescheduled", index);
    }
    collected.get(index).ended = true;
  }

  @Override
  public void fail(int index, InferenceException failure) {
    checkThread();
    checkOpen(index, "failed");
    collected.get(index).answers.add(new Outcome.Failure(failure));
    collected.get(index).ended = true;
  }

  /** Fails all requests that have not ended, as a server does when execute throws. */
  void failOpen(InferenceException failure) {
    for (Collected open : collected) {
      if (!open.ended) {
        open.answers.add(new Outcome.Failure(failure));
        open.ended = true;
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }

  private void answer(int index) {
    var open = collected.get(index);
    Map<String, Tensor> copies = new HashMap<>();
    open.tensors.forEach((name, tensor) -> {
      if (wants(index, name)) {
        checks.content(tensor);
        copies.put(name, onHeap(tensor));
      }
    });
    open.answers.add(new Outcome.Outputs(copies, open.parameters));
    open.tensors.clear();
    open.parameters.clear();
  }

  private static Tensor onHeap(Tensor tensor) {
    var copy = MemorySegment.ofArray(new byte[Math.toIntExact(tensor.byteSize())]);
    Elements.copy(tensor.data(), copy);
    return new Tensor(tensor.name(), tensor.dataType(), tensor.shape(), copy);
  }

  private void putEach(Tensor all) {
    List<Tensor> parts = split.parts(all);
    for (int i = 0; i < parts.size(); i++) {
      if (!collected.get(i).ended) { // such as a request that has failed alone
        put(i, parts.get(i));
      }
    }
  }

  private void put(int index, Tensor tensor) {
    checkOpen(index, "given '" + tensor.name() + "'");
    if (collected.get(index).tensors.put(tensor.name(), tensor) != null) {
      throw violations.add("request %d is given output '%s' twice", index, tensor.name());
    }
  }

  private void checkOpen(int index, String what) {
    if (collected.get(index).ended) {
      throw violations.add("request %d is %s after its end", index, what);
    }
  }

  private void checkThread() {
    if (!Thread.currentThread().equals(instanceThread)) {
      throw violations.add("results are used by thread %s", Thread.currentThread().getName());
    }
  }
}
