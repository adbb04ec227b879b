package io.nereid.server.frontend;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.server.codec.ClientHeader;
import io.nereid.server.codec.HeaderForwarding;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The way in of each request of inference, whichever protocol and API it is of: the model, what the
 * API cannot take, the trace, the decoder, whose the request is, what its headers add. An API
 * brings a decoder, and a receiver of the responses. Thread-safe.
 *
 * @param forwarding which headers become parameters
 */
public record ClientRequests(
    RequestAdmission engine,
    Tracer tracer,
    ClientHeader clientHeader,
    HeaderForwarding forwarding) {
  /** Who sends requests, and the headers of these. */
  public interface Sender {
    /** By its address. */
    ClientKey client();

    /** The value of a header, by its name in lower case. */
    Optional<String> header(String name);

    /** Shows the headers that may be forwarded, of which the last one of a name counts. */
    void forEachHeader(BiConsumer<String, String> headerReader);
  }

  /**
   * A request as it has come.
   *
   * @param <X> what fails while it is decoded, besides what the client is told
   */
  public interface Incoming<X extends Exception> {
    /**
     * The model that the client asks for. Asked first, and once: where only the body says it, that
     * is read now.
     *
     * @throws io.nereid.error.InferenceException if the body does not say it
     */
    String modelName() throws X;

    /**
     * The version that it asks for; empty for the newest.
     *
     * @throws io.nereid.error.InferenceException INVALID_ARGUMENT if it is none
     */
    OptionalLong version();

    /**
     * Begins with a request whose model there is.
     *
     * @param trace null if the request is not traced
     * @return what is recorded of it, with its trace
     * @throws io.nereid.error.InferenceException if the API cannot have the model serve it
     */
    RequestTelemetry begin(LoadedModel model, @Nullable RequestTrace trace);

    /**
     * Decodes it.
     *
     * @throws io.nereid.error.InferenceException if it is malformed
     */
    DecodedRequest decode(LoadedModel model) throws X;
  }

  /** These, without headers that become parameters. */
  public ClientRequests withoutForwarding() {
    return new ClientRequests(engine, tracer, clientHeader, HeaderForwarding.NONE);
  }

  /** Whose the requests of a sender are, as the queues count them. */
  public ClientKey client(Sender sender) {
    return clientHeader.client(sender, Sender::header, sender.client());
  }

  /**
   * Decodes a request.
   *
   * @return to be submitted, or closed
   * @throws io.nereid.error.InferenceException if it cannot be served
   */
  public <X extends Exception> DecodedRequest read(Incoming<X> incoming, Sender sender) throws X {
    String name = incoming.modelName();
    LoadedModel model = engine.model(name, incoming.version());
    RequestTelemetry telemetry = incoming.begin(model, tracer.sample(name, sender, Sender::header));
    DecodedRequest decoded = incoming.decode(model);
    try {
      decoded.setClient(client(sender));
      if (!forwarding.isOff()) {
        HeaderForwarding.Parameters parameters = forwarding.parameters();
        sender.forEachHeader(parameters::add);
        parameters.addTo(decoded);
      }
      telemetry.decoded(model, decoded);
      return decoded;
    } catch (Throwable refused) { // a reserved name, or no memory
      decoded.close();
      throw refused;
    }
  }
}
