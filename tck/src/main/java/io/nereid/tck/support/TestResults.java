package io.nereid.tck.support;

import io.nereid.config.BatchOutput;
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
import java.util.Optional;

/**
 * Results that hold a backend to the contract of {@link Results}. What it does wrong is collected
 * in {@link #violations()}, and thrown at it as well, since a backend may swallow an exception.
 *
 * <p>Call {@link #answers} once, after execute has returned.
 */
public final class TestResults implements Results, AutoCloseable {
  private final ModelConfig config;
  private final TestBatch batch;
  private final Arena arena = Arena.ofShared();
  private final List<Collected> collected = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private final List<Runnable> releases = new ArrayList<>();
  private final Thread instanceThread = Thread.currentThread();
  private boolean computing;

  public TestResults(ModelConfig config, TestBatch batch) {
    this.config = config;
    this.batch = batch;
    for (int i = 0; i < batch.size(); i++) {
      collected.add(new Collected());
    }
  }

  private static final class Collected {
    final Map<String, Tensor> tensors = new HashMap<>();
    final Map<String, Tensor> states = new HashMap<>();
    final Map<String, Parameter> parameters = new HashMap<>();
    final List<Answer> answers = new ArrayList<>();
    boolean ended;
  }

  /** Broken rules, in the order of the calls. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  /**
   * What each request got, in order: copies its outputs, then releases all that was given. A
   * request that was not ended is answered with the outputs it has.
   */
  public List<List<Answer>> answers() {
    List<List<Answer>> answers = new ArrayList<>();
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
    checkType(output, dataType, shape);
    if (!dataType.hasFixedSize()) {
      throw violation("output '%s': BYTES rows have no size to split a batch by", output);
    }
    var data = arena.allocate(shape.elementCount() * dataType.byteSize(), 64);
    split(new Tensor(output, dataType, shape, data));
    return data;
  }

  @Override
  public MemorySegment allocate(
      int index, String output, DataType dataType, Shape shape, long byteSize) {
    checkThread();
    checkType(output, dataType, shape);
    checkSize(output, dataType, shape, byteSize);
    var data = arena.allocate(byteSize, 64);
    put(index, new Tensor(output, dataType, shape, data));
    return data;
  }

  @Override
  public void giveBatch(Tensor output, Runnable release) {
    releases.add(release);
    checkThread();
    checkType(output.name(), output.dataType(), output.shape());
    checkSize(output.name(), output.dataType(), output.shape(), output.byteSize());
    split(output);
  }

  @Override
  public void give(int index, Tensor output, Runnable release) {
    releases.add(release);
    checkThread();
    checkType(output.name(), output.dataType(), output.shape());
    checkSize(output.name(), output.dataType(), output.shape(), output.byteSize());
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
            .orElseThrow(() -> violation("the model declares no state '%s'", outputName));
    if (batch.isPadding(index)) {
      throw violation("state '%s' is given for padding", outputName);
    }
    checkType(declared, dataType, shape);
    checkSize(outputName, dataType, shape, byteSize);
    var data = arena.allocate(byteSize, 64);
    var state = new Tensor(outputName, dataType, shape, data);
    if (collected.get(index).states.put(outputName, state) != null) {
      throw violation("request %d is given state '%s' twice", index, outputName);
    }
    return data;
  }

  /** The states that each request has got, by output name, copied. */
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
      throw violation("the model ends without a start");
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
      throw violation("request %d of a model that is not decoupled is finished unanswered", index);
    }
    collected.get(index).ended = true;
  }

  @Override
  public void reschedule(int index) {
    checkThread();
    checkOpen(index, "rescheduled");
    if (!config.sequence().map(SequenceSettings::iterative).orElse(false)) {
      throw violation("request %d of a model that is not iterative is rescheduled", index);
    }
    collected.get(index).ended = true;
  }

  @Override
  public void fail(int index, InferenceException failure) {
    checkThread();
    checkOpen(index, "failed");
    collected.get(index).answers.add(new Answer.Failure(failure));
    collected.get(index).ended = true;
  }

  /** Fails all that is not ended: what a server does when execute throws. */
  void failOpen(InferenceException failure) {
    for (Collected open : collected) {
      if (!open.ended) {
        open.answers.add(new Answer.Failure(failure));
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
        copies.put(name, onHeap(tensor));
      }
    });
    open.answers.add(new Answer.Outputs(copies, open.parameters));
    open.tensors.clear();
    open.parameters.clear();
  }

  private static Tensor onHeap(Tensor tensor) {
    var copy = MemorySegment.ofArray(new byte[Math.toIntExact(tensor.byteSize())]);
    Elements.copy(tensor.data(), copy);
    return new Tensor(tensor.name(), tensor.dataType(), tensor.shape(), copy);
  }

  /** Each request's rows of a tensor that holds all of them. */
  private void split(Tensor all) {
    Optional<BatchOutput> scattered = config.batchOutput(all.name());
    if (scattered.isPresent()) {
      scatter(all, scattered.get().sourceInput());
      return;
    }
    if (!config.batches()) {
      if (batch.size() != 1) {
        throw violation("output '%s': a model without batches got %d", all.name(), batch.size());
      }
      put(0, all);
      return;
    }
    if (all.shape().dim(0) < batch.rows()) {
      throw violation(
          "output '%s' has %d rows for a batch of %d",
          all.name(), all.shape().dim(0), batch.rows());
    }
    long rowSize = all.shape().dim(0) == 0 ? 0 : all.byteSize() / all.shape().dim(0);
    long offset = 0;
    for (int i = 0; i < batch.size(); i++) {
      long rows = batch.request(i).rows(config);
      var data = all.data().asSlice(offset, rows * rowSize);
      put(i, new Tensor(all.name(), all.dataType(), all.shape().withFirst(rows), data));
      offset += rows * rowSize;
    }
  }

  /** Each request's part of a tensor: as declared, with what is open taken from its source. */
  private void scatter(Tensor all, String source) {
    Shape declared =
        config.output(all.name()).orElseThrow().modelSpec(config.maxBatchSize()).shape();
    long offset = 0;
    for (int i = 0; i < batch.size(); i++) {
      long[] dims = declared.dims();
      for (int axis = 0; axis < dims.length; axis++) {
        dims[axis] =
            dims[axis] < 0 ? batch.input(i, source).orElseThrow().shape().dim(axis) : dims[axis];
      }
      long byteSize = Shape.of(dims).elementCount() * all.dataType().byteSize();
      if (offset + byteSize > all.byteSize()) {
        throw violation("output '%s' has %d bytes, too few to scatter", all.name(), all.byteSize());
      }
      var data = all.data().asSlice(offset, byteSize);
      put(i, new Tensor(all.name(), all.dataType(), Shape.of(dims), data));
      offset += byteSize;
    }
  }

  private void put(int index, Tensor tensor) {
    checkOpen(index, "given '" + tensor.name() + "'");
    if (collected.get(index).tensors.put(tensor.name(), tensor) != null) {
      throw violation("request %d is given output '%s' twice", index, tensor.name());
    }
  }

  private void checkOpen(int index, String what) {
    if (collected.get(index).ended) {
      throw violation("request %d is %s after its end", index, what);
    }
  }

  private void checkThread() {
    if (!Thread.currentThread().equals(instanceThread)) {
      throw violation("results are used by thread %s", Thread.currentThread().getName());
    }
  }

  private void checkType(String output, DataType dataType, Shape shape) {
    TensorConfig declared =
        config
            .output(output)
            .orElseThrow(() -> violation("the model declares no output '%s'", output));
    checkType(declared, dataType, shape);
  }

  private void checkType(TensorConfig declared, DataType dataType, Shape shape) {
    String output = declared.name();
    if (declared.dataType() != dataType) {
      throw violation("output '%s' is %s, not %s", output, declared.dataType(), dataType);
    }
    Shape wanted = declared.modelSpec(config.maxBatchSize()).shape();
    boolean anyShape = config.batchOutput(output).isPresent();
    if (!shape.isConcrete() || !(anyShape || wanted.accepts(shape))) {
      throw violation("output '%s' has shape %s, declared as %s", output, shape, wanted);
    }
  }

  private void checkSize(String output, DataType dataType, Shape shape, long byteSize) {
    if (dataType.hasFixedSize() && byteSize != shape.elementCount() * dataType.byteSize()) {
      throw violation("output '%s' of shape %s has %d bytes", output, shape, byteSize);
    }
  }

  private IllegalStateException violation(String text, Object... arguments) {
    String violation = text.formatted(arguments);
    violations.add(violation);
    return new IllegalStateException(violation);
  }
}
