package io.nereid.engine.call;

import io.nereid.config.ModelConfig;
import io.nereid.engine.request.DroppedResponses;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.OwnCalls;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * The calls of a loaded version on its own behalf. Each session stands for a request of the model
 * that no client has sent and no instance executes, so that its calls follow the rules of calls for
 * requests. Thread-safe.
 */
public final class ModelOwnCalls implements OwnCalls, AutoCloseable {
  private final CallingModel model;
  private final ModelKey key;
  private final UnaryOperator<ModelConfig> parts;
  private volatile boolean holdsResources;
  private final Set<Opened> sessions = ConcurrentHashMap.newKeySet();
  private boolean ended;

  /**
   * @param holdsResources whether an instance of the model may hold resources of the rate limiter
   * @param parts loads a part of the model
   */
  public ModelOwnCalls(
      CallingModel model, ModelKey key, boolean holdsResources, UnaryOperator<ModelConfig> parts) {
    this.model = model;
    this.key = key;
    this.parts = parts;
    this.holdsResources = holdsResources;
  }

  @Override
  public synchronized Session begin(Duration atMost) {
    if (atMost.isNegative() || atMost.isZero()) {
      throw new IllegalArgumentException("a session takes more than no time: " + atMost);
    }
    if (ended) {
      throw InferenceException.unavailable(
          "model '%s' cannot call others: it is being closed".formatted(model.name()));
    }
    if (sessions.size() >= MAX_SESSIONS) {
      throw InferenceException.exhausted(
          "model '%s' has %d sessions of calls open, which is the most; close them"
              .formatted(model.name(), MAX_SESSIONS));
    }
    long now = model.clock().getAsLong();
    var request = new InferenceRequest(key, "", List.of(), List.of(), RequestOptions.NONE);
    var root =
        new PendingRequest(
            request,
            1,
            List.of(),
            () -> {},
            new ResponsePromise(new DroppedResponses(_ -> {})),
            now,
            CallTerms.end(now, TimeUnit.NANOSECONDS.convert(atMost)));
    var session = new Opened(root);
    sessions.add(session);
    return session;
  }

  @Override
  public ModelConfig loadPart(ModelConfig part) {
    return parts.apply(part);
  }

  /** The instances of the model have changed. */
  public void setHoldsResources(boolean newHoldsResources) {
    holdsResources = newHoldsResources;
  }

  /** The model is about to close: cancels its calls, and no session begins. Does not wait. */
  public void cancel() {
    synchronized (this) {
      ended = true;
    }
    sessions.forEach(RequestCalls::cancel);
  }

  /** The model is closed: closes the sessions that are open. */
  @Override
  public void close() {
    cancel();
    sessions.forEach(Opened::close);
  }

  final class Opened extends RequestCalls implements Session {
    Opened(PendingRequest root) {
      super(model, root, () -> holdsResources);
    }

    @Override
    public void close() {
      if (sessions.remove(this)) {
        cancel(); // which is no surprise to be logged
        super.close();
      }
    }
  }
}
