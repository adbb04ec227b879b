package io.nereid.engine.telemetry.trace;

import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.spi.trace.TraceContext;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded of a sampled request, or of a request of an ensemble's step. A front end closes
 * the trace that it has got once it has responded; the engine begins and ends that of each request.
 * Thread-safe, since a cancelled request may still be executed when its client has the outcome.
 */
public final class RequestTrace implements AutoCloseable {
  /** A time on the clock of arrival times. */
  public record Timestamp(TraceActivity activity, long nanos) {}

  /**
   * A tensor as text.
   *
   * @param activity Triton's name of the stage
   */
  public record TracedTensor(
      String activity, String name, String data, String shape, String dataType) {}

  /** The most timestamps, of which few are not a backend's. */
  static final int MAX_TIMESTAMPS = 4096;

  private final TraceGroup group;
  private final long id;
  private final long parentId;
  private final List<Timestamp> timestamps = new ArrayList<>();
  private final List<TracedTensor> tensors = new ArrayList<>();
  private @Nullable ModelKey model;
  private String requestId = "";
  private boolean cached;
  private @Nullable String failure;
  private boolean open;
  private boolean closed;

  RequestTrace(TraceGroup group, long id, long parentId) {
    this.group = group;
    this.id = id;
    this.parentId = parentId;
  }

  /** Records that a stage is reached now. */
  public void mark(TracePoint point) {
    mark(point, group.nanos());
  }

  /**
   * Records that a stage was reached before.
   *
   * @param nanoTime when, by {@link System#nanoTime}
   */
  public void markAt(TracePoint point, long nanoTime) {
    mark(point, group.nanos() + (nanoTime - System.nanoTime()));
  }

  private synchronized void mark(TraceActivity activity, long nanos) {
    if (group.has(TraceLevel.TIMESTAMPS)) {
      timestamps.add(new Timestamp(activity, nanos));
    }
  }

  /**
   * Records an activity of a backend, unless there are {@value #MAX_TIMESTAMPS} of all already.
   *
   * @param nanoTime when it happened, by {@link System#nanoTime}
   */
  public void activity(String name, long nanoTime) {
    synchronized (this) {
      if (timestamps.size() >= MAX_TIMESTAMPS) {
        return;
      }
    }
    mark(new TraceActivity.OfBackend(name), group.nanos() + (nanoTime - System.nanoTime()));
  }

  /** Notes that the response comes from the cache. */
  public synchronized void setCached() {
    cached = true;
  }

  /** Records why the request failed. */
  public synchronized void failed(InferenceException reason) {
    failure = String.valueOf(reason.getMessage());
  }

  /**
   * The request is admitted; {@link #end} follows. Has no effect if the front end has closed the
   * trace, since the request was cancelled before.
   *
   * @param nanos its arrival
   */
  public synchronized void begin(ModelKey newModel, String newRequestId, long nanos) {
    if (!group.retain()) {
      return;
    }
    model = newModel;
    requestId = newRequestId;
    open = true;
    mark(TracePoint.REQUEST_START, nanos);
  }

  /** The request enters the queue of its model now. */
  public void queued(List<Tensor> inputs) {
    mark(TracePoint.QUEUE_START);
    record("TENSOR_QUEUE_INPUT", inputs);
  }

  /** Records when an execution began, had its inputs, had computed and had its outputs. */
  public synchronized void computed(long start, long inputEnd, long outputStart, long end) {
    mark(TracePoint.COMPUTE_START, start);
    mark(TracePoint.COMPUTE_INPUT_END, inputEnd);
    mark(TracePoint.COMPUTE_OUTPUT_START, outputStart);
    mark(TracePoint.COMPUTE_END, end);
  }

  /** Records the outputs of a response; they are read before this method returns. */
  public void responded(List<Tensor> outputs) {
    record("TENSOR_BACKEND_OUTPUT", outputs);
  }

  private void record(String activity, List<Tensor> recorded) {
    if (!group.has(TraceLevel.TENSORS)) {
      return;
    }
    for (Tensor tensor : recorded) {
      if (!group.hasRoom()) {
        return;
      }
      var traced =
          new TracedTensor(
              activity,
              tensor.name(),
              TensorText.data(tensor, group.maxElements()),
              TensorText.shape(tensor),
              tensor.dataType().name());
      group.recorded(traced.data.length() + traced.shape.length() + traced.name.length());
      synchronized (this) {
        tensors.add(traced);
      }
    }
  }

  /** The request has ended. Has no effect unless it has begun. */
  public void end() {
    synchronized (this) {
      if (!open) {
        return;
      }
      open = false;
      mark(TracePoint.REQUEST_END);
    }
    group.release();
  }

  /** The trace of a request that a step of this one makes, which must not have ended. */
  public RequestTrace child() {
    return group.trace(id);
  }

  /** The front end has responded. Only for the trace of a client's request. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    group.release();
  }

  /** The characters of tensors in the traces of the client's request. */
  public long characters() {
    return group.characters();
  }

  /** Whether the settings have chosen the request; false if it is watched alone. */
  public boolean isSampled() {
    return group.isSampled();
  }

  /** The context that the client sent. */
  public Optional<TraceContext> parent() {
    return group.parent();
  }

  /** The id of the trace of its spans, 32 hexadecimal digits; empty if they are not exported. */
  public String traceId() {
    return group.traceId();
  }

  public long id() {
    return id;
  }

  /** 0 for a client's request. */
  public long parentId() {
    return parentId;
  }

  /** The model; null if the request was never admitted. */
  public synchronized @Nullable ModelKey model() {
    return model;
  }

  /** The client's id; empty if it sent none. */
  public synchronized String requestId() {
    return requestId;
  }

  /** Whether the response came from the cache. */
  public synchronized boolean isCached() {
    return cached;
  }

  /** Why the request failed; null if it has not. Only for the trace of a client's request. */
  public synchronized @Nullable String failure() {
    return failure;
  }

  /** In the order in which they were recorded. */
  public synchronized List<Timestamp> timestamps() {
    return List.copyOf(timestamps);
  }

  /** In the order in which they were recorded. */
  public synchronized List<TracedTensor> tensors() {
    return List.copyOf(tensors);
  }
}
