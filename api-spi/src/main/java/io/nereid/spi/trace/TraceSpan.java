package io.nereid.spi.trace;

import io.nereid.request.Parameter;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A part of a request's time, with the parts that it consists of. Times are nanoseconds since the
 * epoch of 1970-01-01.
 *
 * @param events in the order of their times
 * @param failure why the request failed; empty if it succeeded, or for a part of it
 */
public record TraceSpan(
    String name,
    long startNanos,
    long endNanos,
    Map<String, Parameter> attributes,
    List<Event> events,
    List<TraceSpan> children,
    Optional<String> failure) {
  /** Something that happened at one time. */
  public record Event(String name, long nanos) {}

  public TraceSpan {
    attributes = Map.copyOf(attributes);
    events = List.copyOf(events);
    children = List.copyOf(children);
  }
}
