package io.nereid.tck.execution;

import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.ModelCalls;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A detached request that verifies the contract of {@link DetachedRequest}, as the server does. */
final class TestDetached implements DetachedRequest {
  private static final String AFTER_END = "BACKEND-DET-02";

  private final TestResults results;
  private final CheckedRequest request;
  private final TestBatch batch;
  private final int index;
  private final Violations violations;
  private final CountDownLatch end = new CountDownLatch(1);

  /** Of its inputs: a read after the end throws. */
  private final Arena inputs = Arena.ofShared();

  /** Written under the lock, as the next two. */
  private volatile boolean ended;

  private volatile @Nullable TestCalls calls;
  private @Nullable Runnable cancelAction;

  private boolean hasCancelAction;

  TestDetached(TestResults results, CheckedRequest request, Violations violations) {
    this.results = results;
    this.request = request;
    this.batch = request.batch();
    this.index = request.index();
    this.violations = violations;
  }

  /** Counted down once the request has ended. */
  CountDownLatch end() {
    return end;
  }

  private void requireOpen(String method) {
    if (ended) {
      throw violations.add(
          AFTER_END,
          "DetachedRequest.%s is called for request %d after its end".formatted(method, index));
    }
  }

  private void ends() {
    ended = true;
    cancelAction = null;
  }

  /** Ends the calls, then the request. Not under the lock: what the calls complete may need it. */
  private void endCalls() {
    TestCalls made = calls;
    try {
      if (made != null) {
        made.close();
      }
      closeInputs();
    } finally {
      end.countDown();
    }
  }

  /** Ends its inputs, with the request or the memory of the batch. */
  synchronized void closeInputs() {
    try {
      if (inputs.scope().isAlive()) {
        inputs.close();
      }
    } catch (IllegalStateException inUse) {
      violations.add(AFTER_END, "request %d ends while native code has an input".formatted(index));
    }
  }

  private Tensor untilEnd(Tensor input) {
    MemorySegment data = input.data().reinterpret(inputs, null);
    return new Tensor(input.name(), input.dataType(), input.shape(), data);
  }

  @Override
  public synchronized InferenceRequest request() {
    requireOpen("request");
    InferenceRequest request = batch.request(index);
    return new InferenceRequest(
        request.model(),
        request.id(),
        request.inputs().stream().map(this::untilEnd).toList(),
        request.outputs(),
        request.options());
  }

  @Override
  public synchronized Optional<Tensor> input(String name) {
    requireOpen("input");
    return batch.input(index, name).map(this::untilEnd);
  }

  @Override
  public synchronized boolean wants(String output) {
    requireOpen("wants");
    return request.isWanted(output);
  }

  @Override
  public synchronized MemorySegment allocate(
      String output, DataType dataType, Shape shape, long byteSize) {
    requireOpen("allocate");
    return request.allocate(output, dataType, shape, byteSize);
  }

  @Override
  public synchronized void give(Tensor output, Runnable release) {
    results.take(output, release);
    requireOpen("give");
    request.give(output);
  }

  @Override
  public synchronized void parameter(String name, Parameter value) {
    requireOpen("parameter");
    request.parameter(name, value);
  }

  @Override
  public synchronized boolean isTraced() {
    requireOpen("isTraced");
    return request.isTraced();
  }

  @Override
  public synchronized void activity(String name, long nanoTime) {
    requireOpen("activity");
    request.activity(name);
  }

  @Override
  public synchronized ModelCalls calls() {
    requireOpen("calls");
    TestCalls known = calls;
    if (known == null) {
      known = batch.makeCalls();
      calls = known;
    }
    return known;
  }

  @Override
  public void send() {
    boolean isSent;
    synchronized (this) {
      requireOpen("send");
      isSent = request.send();
      if (!results.isDecoupled()) {
        ends();
      }
    }
    if (!results.isDecoupled()) {
      endCalls();
    }
    if (isSent) {
      batch.sent(); // which may run an action on a cancellation
    }
  }

  @Override
  public void finish() {
    end("finish", request::finish);
  }

  @Override
  public void fail(InferenceException failure) {
    end("fail", () -> request.fail(failure));
  }

  private void end(String method, Runnable ending) {
    synchronized (this) {
      requireOpen(method);
      ending.run();
      ends();
    }
    endCalls();
  }

  @Override
  public boolean isCancelled() {
    return ended || batch.isCancelled(index);
  }

  @Override
  public void onCancel(Runnable action) {
    Objects.requireNonNull(action);
    synchronized (this) {
      requireOpen("onCancel");
      if (hasCancelAction) {
        throw violations.add(
            AFTER_END, "request %d is given a second action on cancellation".formatted(index));
      }
      hasCancelAction = true;
      cancelAction = action;
    }
    if (batch.isCancelled(index)) {
      cancelled();
    }
  }

  /** The requests of the batch are cancelled. */
  void cancelled() {
    Runnable action;
    synchronized (this) {
      action = cancelAction;
      cancelAction = null;
    }
    if (action != null) {
      batch.runAction(action);
    }
  }

  @Override
  public Optional<Duration> remaining() {
    return batch.remaining(index);
  }
}
