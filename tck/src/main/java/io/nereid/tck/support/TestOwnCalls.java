package io.nereid.tck.support;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.spi.OwnCalls;
import io.nereid.tck.backend.StandInModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Calls of a model on its own behalf; others stand for the models that it calls. */
final class TestOwnCalls implements OwnCalls, AutoCloseable {
  private final ModelConfig config;
  private final Map<String, StandInModel> models;
  private final List<TestSession> open = new ArrayList<>();
  private boolean ended;

  TestOwnCalls(ModelConfig config, Map<String, StandInModel> models) {
    this.config = config;
    this.models = models;
  }

  @Override
  public synchronized Session begin(Duration atMost) {
    if (atMost.isNegative() || atMost.isZero()) {
      throw new IllegalArgumentException("a session takes more than no time: " + atMost);
    }
    if (ended) {
      throw InferenceException.unavailable(
          "model '%s' cannot call others: it is being closed".formatted(config.name()));
    }
    var session = new TestSession(new TestCalls(config, models));
    open.add(session);
    return session;
  }

  /** The model is about to close. */
  synchronized void end() {
    ended = true;
  }

  /** Closes the sessions that are open. */
  @Override
  public void close() {
    List<TestSession> left;
    synchronized (this) {
      ended = true;
      left = List.copyOf(open);
      open.clear();
    }
    left.forEach(TestSession::close);
  }

  private record TestSession(TestCalls calls) implements Session {
    @Override
    public CallResponse infer(ModelCall call) {
      return calls.infer(call);
    }

    @Override
    public CompletableFuture<CallResponse> inferAsync(ModelCall call) {
      return calls.inferAsync(call);
    }

    @Override
    public CallResponses stream(ModelCall call) {
      return calls.stream(call);
    }

    @Override
    public CallMemory allocate(String name, long byteSize) {
      return calls.allocate(name, byteSize);
    }

    @Override
    public void close() {
      calls.close();
    }
  }
}
