package io.nereid.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.nereid.client.CallInterceptor;
import io.nereid.client.OutgoingCall;
import org.jspecify.annotations.Nullable;

/**
 * Observes each attempt of a client's calls. The handlers of the registry make of it the timer
 * {@code nereid.client.calls}, with the tags {@code operation}, {@code model}, {@code address} and
 * {@code code}, and a span, whose context the server gets in the headers of the application's
 * propagator, such as W3C's {@code traceparent}. What the caller is observed in is the parent of
 * all attempts. Thread-safe.
 *
 * <pre>{@code
 * NereidClient.builder(address).interceptor(new ClientObservation(registry)).open();
 * }</pre>
 */
public final class ClientObservation implements CallInterceptor {
  private static final String NAME = "nereid.client.calls";

  private final ObservationRegistry registry;

  /** Observes for a registry; nothing if that has no handlers. */
  public ClientObservation(ObservationRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void intercept(OutgoingCall call) {
    if (registry.isNoop()) {
      return;
    }
    var context = new SenderContext<OutgoingCall>(ClientObservation::set, Kind.CLIENT);
    context.setCarrier(call);
    context.setRemoteServiceAddress(call.address());
    Observation observation =
        Observation.createNotStarted(NAME, () -> context, registry)
            .contextualName(call.operation() + " " + call.model())
            .lowCardinalityKeyValue("operation", call.operation())
            .lowCardinalityKeyValue("model", call.model().isEmpty() ? "none" : call.model())
            .lowCardinalityKeyValue("address", call.address())
            .highCardinalityKeyValue("attempt", Integer.toString(call.attempt()));
    Observation parent = parent(call);
    if (parent != null) {
      observation.parentObservation(parent);
    }
    observation.start();
    call.onEnd(failure -> {
      observation.lowCardinalityKeyValue("code", failure == null ? "OK" : failure.code().name());
      if (failure != null) {
        observation.error(failure);
      }
      observation.stop();
    });
  }

  /** Found by the first attempt: a further one may be made by a thread that observes nothing. */
  private @Nullable Observation parent(OutgoingCall call) {
    Observation current = call.attempt() == 1 ? registry.getCurrentObservation() : null;
    if (current != null) {
      call.attributes().put(this, current);
    }
    return call.attributes().get(this) instanceof Observation known ? known : null;
  }

  private static void set(@Nullable OutgoingCall call, String name, String value) {
    if (call != null) {
      call.header(name, value);
    }
  }
}
