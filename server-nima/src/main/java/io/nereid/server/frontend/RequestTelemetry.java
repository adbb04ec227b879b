package io.nereid.server.frontend;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.telemetry.ExecutionObserver;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.error.InferenceException;
import io.nereid.server.telemetry.access.AccessEntry;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded of a request: its entry in the access log and its trace, where it has them. One
 * that has neither costs nothing. The threads of a request use it one after the other, but for a
 * cancellation.
 */
public final class RequestTelemetry implements ExecutionObserver, AutoCloseable {
  private static final RequestTelemetry NONE = new RequestTelemetry(null, null);

  private final @Nullable AccessEntry access;
  private final @Nullable RequestTrace trace;

  private RequestTelemetry(@Nullable AccessEntry access, @Nullable RequestTrace trace) {
    this.access = access;
    this.trace = trace;
  }

  /**
   * The telemetry of a request that has come.
   *
   * @param access null if the server has no access log
   */
  public static RequestTelemetry of(@Nullable AccessEntry access) {
    return access == null ? NONE : new RequestTelemetry(access, null);
  }

  /**
   * This, with a trace, which {@link #close} ends.
   *
   * @param sampled null if the request is not traced
   */
  public RequestTelemetry withTrace(@Nullable RequestTrace sampled) {
    return sampled == null ? this : new RequestTelemetry(access, sampled);
  }

  /** Notes for which model the client asks, before anything is known of it. */
  public void model(String name, String version) {
    if (access != null) {
      access.model(name, version);
    }
  }

  /** Notes the client's id of the request. */
  public void id(String id) {
    if (access != null) {
      access.id(id);
    }
  }

  /** Notes the version that serves the request, its id and its trace, which travels with it. */
  public void decoded(LoadedModel model, DecodedRequest request) {
    request.setTrace(trace);
    if (access != null) {
      access.model(model.key().name(), Long.toString(model.key().version()));
      access.id(request.id());
      access.clientName(request.client().text());
      if (trace != null && trace.isSampled()) {
        access.trace(trace.id(), trace.traceId());
      }
    }
  }

  /** Records that a stage is reached now. */
  public void reached(TracePoint point) {
    if (trace != null) {
      trace.mark(point);
    }
  }

  /**
   * Records that a stage was reached before.
   *
   * @param nanoTime when, by {@link System#nanoTime}
   */
  public void reachedAt(TracePoint point, long nanoTime) {
    if (trace != null) {
      trace.markAt(point, nanoTime);
    }
  }

  /** Records in the trace why the request has failed. */
  public void failed(InferenceException failure) {
    if (trace != null) {
      trace.failed(failure);
    }
  }

  @Override
  public void executed(long queueNanos, long computeNanos) {
    if (access != null) {
      access.executed(queueNanos, computeNanos);
    }
  }

  /** Ends the trace. */
  @Override
  public void close() {
    if (trace != null) {
      trace.close();
    }
  }
}
