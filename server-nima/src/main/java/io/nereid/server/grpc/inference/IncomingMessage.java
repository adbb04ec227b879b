package io.nereid.server.grpc.inference;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.frontend.ClientRequests;
import io.nereid.server.frontend.RequestTelemetry;
import io.nereid.server.grpc.call.CallHeaders;
import io.nereid.server.grpc.call.ClientMessages;
import io.nereid.server.grpc.call.GrpcRequests;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A request of inference of a call.
 *
 * @param message as parsed
 * @param reply what becomes of the request's responses
 */
record IncomingMessage(
    ProtoRequest message, CallHeaders headers, ClientMessages messages, Reply reply)
    implements ClientRequests.Incoming<RuntimeException> {
  /** What becomes of the responses to a request. */
  interface Reply {
    /** As {@link ClientRequests.Incoming#begin}. */
    RequestTelemetry begin(LoadedModel model, @Nullable RequestTrace trace);
  }

  @Override
  public String modelName() {
    return message.modelName();
  }

  @Override
  public OptionalLong version() {
    return GrpcRequests.version(message.modelVersion());
  }

  @Override
  public RequestTelemetry begin(LoadedModel model, @Nullable RequestTrace trace) {
    return reply.begin(model, trace);
  }

  @Override
  public DecodedRequest decode(LoadedModel model) {
    return messages.decode(message, headers.call(), model.inputPool());
  }
}
