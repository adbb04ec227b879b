package io.nereid.tck.execution;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import io.nereid.tck.support.Outcome;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Results that verify the contract of {@link Results}. They return and throw as the server's do;
 * what breaks a rule is recorded too, since a backend may swallow an exception, and the server
 * bears with some of it.
 *
 * <p>Created by the instance's thread. Call {@link #answers} once, after execute has returned.
 */
public final class TestResults implements Results, AutoCloseable {
  private final ModelConfig config;
  private final TestBatch batch;
  private final byte fill;
  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> allocated = new ArrayList<>();
  private final List<CheckedRequest> requests = new ArrayList<>();
  private final Violations violations;
  private final ExecutionScope scope;
  private final OutputChecks checks;
  private final BatchSplit split;
  private final GivenMemory given;
  private final @Nullable TestDetached[] detached;
  private boolean computing;

  public TestResults(ModelConfig config, TestBatch batch) {
    this(config, batch, _ -> false, (byte) 0, new Violations());
  }

  /**
   * Results whose memory has a content.
   *
   * @param isShapeHint whether the declared shape of an output is a hint
   * @param fill each byte of the memory that is allocated for outputs
   * @param violations where violations are recorded, also those after the end
   */
  public TestResults(
      ModelConfig config,
      TestBatch batch,
      Predicate<String> isShapeHint,
      byte fill,
      Violations violations) {
    this.config = config;
    this.batch = batch;
    this.fill = fill;
    this.violations = violations;
    this.scope = new ExecutionScope(batch, violations);
    this.checks = new OutputChecks(config, isShapeHint, violations);
    this.split = new BatchSplit(config, batch);
    this.given = new GivenMemory(violations);
    this.detached = new TestDetached[batch.size()];
    for (int i = 0; i < batch.size(); i++) {
      requests.add(new CheckedRequest(batch, i, checks, this::memory));
    }
  }

  /** The batch as the backend may see it: by this thread, until the execution has ended. */
  public Batch scopedBatch() {
    return scope.scoped();
  }

  /** Violations of the contract, in the order of the calls. */
  public List<String> violations() {
    return violations.texts();
  }

  /** What breaks the contract, in the order of the calls. */
  public Violations found() {
    return violations;
  }

  /** The memory of the backend that is given and not released. */
  GivenMemory given() {
    return given;
  }

  /**
   * The outcomes of the requests, in order: ends the execution, copies their outputs, then releases
   * them. A request that was not ended gets the outputs that it has.
   */
  public List<List<Outcome>> answers() {
    List<List<Outcome>> answers = collected();
    given.release();
    return answers;
  }

  /** Ends the execution: only detached requests may be used from now on. */
  public void endExecution() {
    scope.end();
    batch.end();
  }

  /** The outcomes of the requests as {@link #answers}; what was given is not released. */
  List<List<Outcome>> collected() {
    endExecution();
    List<List<Outcome>> answers = requests.stream().map(CheckedRequest::collected).toList();
    given.note();
    return answers;
  }

  /** Checks that the memory of outputs is open and as it was when they were sent. */
  void requireUnchanged() {
    given.requireUnchanged();
    requests.forEach(CheckedRequest::requireUnchanged);
  }

  /** Fills the memory that was allocated for outputs, as its next user would. */
  public void overwrite(byte value) {
    allocated.forEach(memory -> memory.fill(value));
  }

  /** Whether all memory that was allocated for outputs has only that byte. */
  public boolean isFilledWith(byte value) {
    for (MemorySegment memory : allocated) {
      try (var other = Arena.ofConfined()) {
        if (memory.mismatch(other.allocate(memory.byteSize()).fill(value)) != -1) {
          return false;
        }
      }
    }
    return true;
  }

  private synchronized MemorySegment memory(long byteSize) {
    MemorySegment memory = arena.allocate(byteSize, 64).fill(fill);
    allocated.add(memory);
    return memory;
  }

  @Override
  public boolean isTraced(int index) {
    return attached(index, "isTraced").isTraced();
  }

  @Override
  public void activity(int index, String name, long nanoTime) {
    attached(index, "activity").activity(name);
  }

  @Override
  public boolean wants(int index, String output) {
    return attached(index, "wants").isWanted(output);
  }

  @Override
  public boolean wants(String output) {
    scope.requireOpen("Results.wants");
    for (int i = 0; i < batch.size(); i++) {
      if (detached[i] == null && requests.get(i).isWanted(output)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public MemorySegment allocateBatch(String output, DataType dataType, Shape shape) {
    scope.requireOpen("Results.allocateBatch");
    if (!dataType.hasFixedSize()) {
      String found = "output '%s': BYTES rows have no size to split a batch by".formatted(output);
      violations.add("BACKEND-EXEC-02", found);
      throw new IllegalArgumentException(found);
    }
    long byteSize = shape.isConcrete() ? shape.elementCount() * dataType.byteSize() : -1;
    requireBatch(output, dataType, shape, byteSize);
    var data = memory(byteSize);
    putEach(new Tensor(output, dataType, shape, data));
    return data;
  }

  /** Checks an output of all requests, which fail if it is wrong. */
  private void requireBatch(String output, DataType dataType, Shape shape, long byteSize) {
    Optional<TensorConfig> declared = config.output(output);
    boolean twice = attached().anyMatch(request -> request.holds(output));
    if (twice) {
      violations.add(OutputChecks.NAMES, "output '%s' is given twice".formatted(output));
    }
    if (!checks.name(output)
        || twice
        || !checks.value(declared.orElseThrow(), dataType, shape, byteSize, batch.rows(), true)) {
      throw refuseAll();
    }
  }

  private InferenceException refuseAll() {
    attached().forEach(CheckedRequest::refuse);
    return violations.lastAsFailure();
  }

  @Override
  public MemorySegment allocate(
      int index, String output, DataType dataType, Shape shape, long byteSize) {
    return attached(index, "allocate").allocate(output, dataType, shape, byteSize);
  }

  @Override
  public void giveBatch(Tensor output, Runnable release) {
    given.add(output, Objects.requireNonNull(release));
    scope.requireOpen("Results.giveBatch");
    requireBatch(output.name(), output.dataType(), output.shape(), output.byteSize());
    if (!checks.memory(output)) {
      throw refuseAll();
    }
    putEach(output);
  }

  @Override
  public void give(int index, Tensor output, Runnable release) {
    take(output, release);
    attached(index, "give").give(output);
  }

  /** Takes memory of the backend, also if the output then turns out to be wrong. */
  void take(Tensor output, Runnable release) {
    given.add(output, Objects.requireNonNull(release));
  }

  private void putEach(Tensor all) {
    List<Tensor> parts;
    try {
      parts = split.parts(all);
    } catch (IllegalArgumentException tooSmall) {
      violations.add("BACKEND-EXEC-03", String.valueOf(tooSmall.getMessage()));
      throw refuseAll();
    }
    for (int i = 0; i < parts.size(); i++) {
      CheckedRequest request = requests.get(i);
      if (detached[i] == null && !request.hasEnded()) { // such as one that has failed alone
        request.put(parts.get(i));
      }
    }
  }

  @Override
  public void drop(int index, String output) {
    attached(index, "drop").drop(output);
  }

  @Override
  public void parameter(int index, String name, Parameter value) {
    attached(index, "parameter").parameter(name, value);
  }

  @Override
  public MemorySegment allocateState(
      int index, String outputName, DataType dataType, Shape shape, long byteSize) {
    scope.requireOpen("Results.allocateState");
    Optional<TensorConfig> declared =
        TestBatch.states(config)
            .filter(state -> state.outputName().equals(outputName))
            .findFirst()
            .map(state -> TensorConfig.of(outputName, state.dataType(), state.dims()));
    if (declared.isEmpty()) {
      String found = "the model declares no state '%s'".formatted(outputName);
      violations.add(OutputChecks.NAMES, found);
      throw InferenceException.invalid(found);
    }
    CheckedRequest request = requests.get(index);
    boolean right = request.isStateRight(declared.get(), dataType, shape, byteSize);
    if (byteSize < 0) {
      throw violations.lastAsFailure();
    }
    var data = memory(byteSize);
    if (right) {
      request.putState(new Tensor(outputName, dataType, shape, data));
    }
    return data;
  }

  /** The states of each request, by output name, copied. */
  public List<Map<String, Tensor>> states() {
    return requests.stream().map(CheckedRequest::states).toList();
  }

  @Override
  public void computeStarted() {
    scope.requireOpen("Results.computeStarted");
    computing = true;
  }

  @Override
  public void computeEnded() {
    scope.requireOpen("Results.computeEnded");
    if (!computing) {
      violations.add(CheckedRequest.TIMES, "computeEnded is called without computeStarted");
    }
  }

  @Override
  public void computed(long inferNanos, long outputNanos) {
    scope.requireOpen("Results.computed");
    if (inferNanos < 0 || outputNanos < 0) {
      violations.add(
          CheckedRequest.TIMES,
          "the model computes for %d ns, then %d ns".formatted(inferNanos, outputNanos));
    }
  }

  @Override
  public void send(int index) {
    if (attached(index, "send").send()) {
      batch.sent();
    }
  }

  @Override
  public void finish(int index) {
    attached(index, "finish").finish();
  }

  @Override
  public void reschedule(int index) {
    CheckedRequest request = attached(index, "reschedule");
    if (!config.sequence().map(SequenceSettings::iterative).orElse(false)) {
      String found = "request %d of a model that is not iterative is rescheduled".formatted(index);
      violations.add(CheckedRequest.AFTER_END, found);
      throw InferenceException.invalid(found);
    }
    request.reschedule();
  }

  @Override
  public void fail(int index, InferenceException failure) {
    attached(index, "fail").fail(failure);
  }

  /** Fails all requests that have not ended, as a server does when execute throws. */
  public void failOpen(InferenceException failure) {
    attached().filter(request -> !request.hasEnded()).forEach(request -> request.fail(failure));
  }

  @Override
  public DetachedRequest detach(int index) {
    CheckedRequest checked = attached(index, "detach");
    if (config.sequence().isPresent()) {
      String found = "request %d of a sequence model is detached".formatted(index);
      violations.add("BACKEND-DET-01", found);
      throw InferenceException.unsupported(found);
    }
    checked.requireOpen("detached");
    var request = new TestDetached(this, checked, violations);
    detached[index] = request;
    batch.add(request);
    return request;
  }

  /** Whether a request is detached. */
  public boolean hasDetached() {
    return Stream.of(detached).anyMatch(Objects::nonNull);
  }

  /**
   * Waits until the detached requests have ended.
   *
   * @return those that have not, by index
   */
  public List<Integer> awaitDetached(Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < detached.length; i++) {
      TestDetached request = detached[i];
      try {
        if (request != null
            && !request.end().await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          open.add(i);
        }
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        open.add(i);
      }
    }
    return open;
  }

  boolean isDecoupled() {
    return config.decoupled();
  }

  /** The requests of the execution that are not detached. */
  private Stream<CheckedRequest> attached() {
    return IntStream.range(0, detached.length)
        .filter(i -> detached[i] == null)
        .mapToObj(requests::get);
  }

  /** The request, for which a method may be called now; fails otherwise. */
  private CheckedRequest attached(int index, String method) {
    scope.requireOpen("Results." + method);
    if (detached[index] != null) {
      throw violations.add(
          "BACKEND-DET-02",
          "Results.%s is called for request %d, which is detached".formatted(method, index));
    }
    return requests.get(index);
  }

  @Override
  public void close() {
    arena.close();
  }
}
