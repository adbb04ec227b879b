package io.nereid.engine.telemetry.trace.export;

import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.RequestTrace.Timestamp;
import io.nereid.engine.telemetry.trace.TraceActivity;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.spi.trace.TraceSpan;
import io.nereid.spi.trace.TraceSpan.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The traces of a client's request as spans with Triton's names and attributes:
 *
 * <pre>
 * InferRequest              the front end's times
 *   &lt;model&gt;                 from the admission to the end
 *     queue                 not in Triton
 *     compute
 *       &lt;activity&gt;          of the backend: &lt;activity&gt;_START and &lt;activity&gt;_END
 *     &lt;model of a step&gt;     the same again
 * </pre>
 *
 * An activity of another name is an event of the innermost span at its time.
 *
 * @param traces the request's, then those of an ensemble's steps
 * @param originNanos what is added to times
 */
record SpanTree(List<RequestTrace> traces, long originNanos) {
  private static final String START = "_START";
  private static final String END = "_END";

  /** The stages of a request that a model has; the others are a front end's. */
  private static final Set<TracePoint> MODEL =
      EnumSet.range(TracePoint.REQUEST_START, TracePoint.REQUEST_END);

  /** The span of the request; empty if no time was recorded. */
  Optional<TraceSpan> root() {
    RequestTrace request = traces.getFirst();
    List<Timestamp> timestamps = sorted(request);
    if (timestamps.isEmpty()) {
      return Optional.empty();
    }
    var root =
        new SpanBuilder(
            "InferRequest", timestamps.getFirst().nanos(), timestamps.getLast().nanos());
    for (Timestamp timestamp : timestamps) {
      if (timestamp.activity() instanceof TracePoint point && isFrontEnd(point)) {
        root.event(timestamp);
      }
    }
    TraceSpan model = model(request);
    if (model != null) {
      root.children.add(model);
    }
    return Optional.of(root.build(Map.of(), Optional.ofNullable(request.failure())));
  }

  private static List<Timestamp> sorted(RequestTrace trace) {
    List<Timestamp> timestamps = new ArrayList<>(trace.timestamps());
    timestamps.sort(Comparator.comparingLong(Timestamp::nanos)); // stable
    return timestamps;
  }

  private static boolean isFrontEnd(TracePoint point) {
    return !MODEL.contains(point);
  }

  /** The span of a request of a model; null if it was never admitted. */
  private @Nullable TraceSpan model(RequestTrace trace) {
    ModelKey key = trace.model();
    List<Timestamp> timestamps = sorted(trace);
    Map<TracePoint, Long> times = new EnumMap<>(TracePoint.class);
    for (Timestamp timestamp : timestamps) {
      if (timestamp.activity() instanceof TracePoint point) {
        times.putIfAbsent(point, timestamp.nanos());
      }
    }
    Long start = times.get(TracePoint.REQUEST_START);
    if (key == null || start == null) {
      return null;
    }
    var model =
        new SpanBuilder(key.name(), start, times.getOrDefault(TracePoint.REQUEST_END, start));
    Long queueStart = times.get(TracePoint.QUEUE_START);
    Long computeStart = times.get(TracePoint.COMPUTE_START);
    Long computeEnd = times.get(TracePoint.COMPUTE_END);
    SpanBuilder compute = null;
    if (queueStart != null && computeStart != null) {
      model.children.add(new SpanBuilder("queue", queueStart, computeStart).build());
    }
    if (computeStart != null && computeEnd != null) {
      compute = new SpanBuilder("compute", computeStart, computeEnd);
    }
    for (Timestamp timestamp : timestamps) {
      switch (timestamp.activity()) {
        case TracePoint point -> {
          if (point.name().startsWith("COMPUTE_") && compute != null) {
            compute.event(timestamp);
          } else if (!isFrontEnd(point)) {
            model.event(timestamp);
          }
        }
        case TraceActivity.OfBackend(String label) -> {
          SpanBuilder part =
              compute != null && compute.contains(timestamp.nanos()) ? compute : model;
          var _ = part.add(label, timestamp);
        }
      }
    }
    if (compute != null) {
      model.children.add(compute.build());
    }
    for (RequestTrace step : traces) {
      TraceSpan child = step.parentId() == trace.id() ? model(step) : null;
      if (child != null) {
        model.children.add(child);
      }
    }
    return model.build(attributes(trace, key), Optional.empty());
  }

  private static Map<String, Parameter> attributes(RequestTrace trace, ModelKey key) {
    Map<String, Parameter> attributes = new HashMap<>();
    attributes.put("triton.model_name", new Parameter.OfString(key.name()));
    attributes.put("triton.model_version", new Parameter.OfLong(key.version()));
    attributes.put("triton.trace_id", new Parameter.OfLong(trace.id()));
    attributes.put("triton.trace_parent_id", new Parameter.OfLong(trace.parentId()));
    if (!trace.requestId().isEmpty()) {
      attributes.put("triton.request_id", new Parameter.OfString(trace.requestId()));
    }
    if (trace.isCached()) {
      attributes.put("nereid.cached", new Parameter.OfBoolean(true));
    }
    return attributes;
  }

  /** A span to which events and parts are added in the order of their times. */
  private final class SpanBuilder {
    final String name;
    final long start;
    long end;
    final List<Event> events = new ArrayList<>();
    final List<TraceSpan> children = new ArrayList<>();

    /** The activity of the backend that has started and not ended. */
    @Nullable SpanBuilder open;

    SpanBuilder(String name, long start, long end) {
      this.name = name;
      this.start = start;
      this.end = Math.max(start, end);
    }

    boolean contains(long nanos) {
      return start <= nanos && nanos <= end;
    }

    void event(Timestamp timestamp) {
      events.add(new Event(timestamp.activity().label(), timestamp.nanos() + originNanos));
    }

    /** Adds an activity to the innermost part that is open; returns whether it ends this one. */
    boolean add(String label, Timestamp timestamp) {
      if (open != null) {
        if (open.add(label, timestamp)) {
          open.end = timestamp.nanos();
          children.add(open.build());
          open = null;
        }
        return false;
      }
      if (label.endsWith(START) && label.length() > START.length()) {
        open =
            new SpanBuilder(
                label.substring(0, label.length() - START.length()), timestamp.nanos(), end);
        open.event(timestamp);
        return false;
      }
      event(timestamp);
      return label.equals(name + END);
    }

    TraceSpan build() {
      return build(Map.of(), Optional.empty());
    }

    /** The span; an activity without an end ends with it. */
    TraceSpan build(Map<String, Parameter> attributes, Optional<String> failure) {
      if (open != null) {
        children.add(open.build());
        open = null;
      }
      return new TraceSpan(
          name, start + originNanos, end + originNanos, attributes, events, children, failure);
    }
  }
}
