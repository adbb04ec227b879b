package io.nereid.server.http;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.AwaitedResponse;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.ClientHeader;
import io.nereid.server.codec.HeaderForwarding;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.server.codec.json.RawRequestReader;
import io.nereid.server.frontend.FinishedResponse;
import io.nereid.server.frontend.RequestTelemetry;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.message.ReadAhead;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.RestrictedApis;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The handler of {@code POST .../infer}. Runs on the connection's virtual thread. */
final class InferRoutes {
  private final RequestAdmission engine;
  private final Tracer tracer;
  private final BufferPool pool;
  private final JsonRequestReader jsonReader;

  /** For clients that may not use regions; empty if all may. */
  private final Optional<JsonRequestReader> readerWithoutRegions;

  private final RestrictedApis restricted;
  private final RawRequestReader rawReader;
  private final BodyDecoder bodyDecoder;
  private final HeaderForwarding forwarding;
  private final ClientHeader clientHeader;
  private final InFlightLimit limit;
  private final LongWork longWork;
  private final Submissions submissions;
  private final InferResponses responses;

  InferRoutes(
      RequestAdmission engine,
      BufferPool pool,
      SharedRegions regions,
      RestrictedApis restricted,
      long maxInputSize,
      BodyDecoder bodyDecoder,
      RequestMemory memory,
      HeaderForwarding forwarding,
      ClientHeader clientHeader,
      InFlightLimit limit,
      LongWork longWork,
      Tracer tracer) {
    this.engine = engine;
    this.tracer = tracer;
    this.pool = pool;
    this.jsonReader = new JsonRequestReader(maxInputSize, regions);
    this.restricted = restricted;
    this.readerWithoutRegions =
        restricted
            .header(ApiCategory.SHARED_MEMORY)
            .map(header -> SharedRegions.denied(() -> new ForbiddenException(header)))
            .map(denied -> new JsonRequestReader(maxInputSize, denied));
    this.rawReader = new RawRequestReader(maxInputSize);
    this.bodyDecoder = bodyDecoder;
    this.forwarding = forwarding;
    this.clientHeader = clientHeader;
    this.limit = limit;
    this.longWork = longWork;
    this.submissions = new Submissions(engine, longWork);
    this.responses = new InferResponses(pool, memory, longWork);
  }

  void infer(Route.OfModel route, HttpRequest request, HttpResponse response) throws IOException {
    OptionalLong version = route.versionNumber();
    RequestTelemetry untraced = request.telemetry();
    untraced.model(route.model(), route.version());
    LoadedModel model = engine.model(route.model(), version);
    if (model.config().decoupled()) {
      throw InferenceException.unsupported(
          "HTTP end point doesn't support models with decoupled transaction policy");
    }
    try (RequestTelemetry telemetry =
        untraced.withTrace(tracer.sample(route.model(), request, HttpRequest::header))) {
      telemetry.reached(TracePoint.HTTP_RECV_START);
      try {
        infer(model, version, request, response, telemetry);
      } catch (InferenceException failure) {
        telemetry.failed(failure);
        throw failure;
      }
    }
  }

  private void infer(
      LoadedModel model,
      OptionalLong version,
      HttpRequest request,
      HttpResponse response,
      RequestTelemetry telemetry)
      throws IOException {
    var deadline = RequestDeadline.of(request);
    DecodedRequest decoded = decode(model, request, response);
    ClientKey client = clientHeader.client(request, HttpRequest::header, request.client());
    decoded.setClient(client);
    telemetry.decoded(model, decoded);
    telemetry.reached(TracePoint.HTTP_RECV_END);
    List<OutputRequest> outputs = decoded.outputs();
    boolean binaryByDefault = decoded.binaryByDefault();
    var receiver = new AwaitedResponse(telemetry);
    var promise = new ResponsePromise(receiver);
    InferenceResponse result;
    try (decoded) { // the engine takes its inputs, unless the limit refuses it
      forwardHeaders(request, decoded);
      InferenceResponse awaited;
      limit.begin(client);
      try {
        submissions.submit(request, model, version, decoded, promise, deadline);
        awaited = await(receiver, promise, deadline, request, response);
      } finally {
        limit.end(client);
      }
      response.executed();
      telemetry.reached(TracePoint.INFER_RESPONSE_COMPLETE);
      result = finished(awaited, outputs, model, request);
    }
    telemetry.reached(TracePoint.HTTP_SEND_START);
    responses.send(request, response, result, outputs, binaryByDefault);
    telemetry.reached(TracePoint.HTTP_SEND_END);
  }

  private InferenceResponse finished(
      InferenceResponse awaited,
      List<OutputRequest> outputs,
      LoadedModel model,
      HttpRequest request)
      throws IOException {
    long byteSize = FinishedResponse.byteSize(awaited, outputs);
    if (byteSize == 0) {
      return FinishedResponse.of(awaited, outputs, model, pool, /* last= */ true);
    }
    LeaseSource memory = bodyDecoder.memory(request, pool);
    return longWork.call(
        request.client(),
        byteSize,
        () -> FinishedResponse.of(awaited, outputs, model, memory, /* last= */ true));
  }

  private void forwardHeaders(HttpRequest request, DecodedRequest decoded) {
    if (!forwarding.isOff()) {
      HeaderForwarding.Parameters parameters = forwarding.parameters();
      request.forEachHeader(parameters::add);
      parameters.addTo(decoded);
    }
  }

  /** Waits for the result; its deadline, a disconnect or the end of a stop cancels the request. */
  private static InferenceResponse await(
      AwaitedResponse receiver,
      ResponsePromise promise,
      RequestDeadline deadline,
      HttpRequest request,
      HttpResponse response) {
    ReadAhead ahead = request.ahead();
    ahead.begin(response, promise::cancel);
    try {
      return receiver.await(promise, deadline.leftNanos());
    } catch (InferenceException failure) {
      throw explained(failure, deadline, ahead, response);
    } finally {
      ahead.end();
    }
  }

  /**
   * A failure; a cancellation says whether the client has left, the server has no time left, or the
   * deadline has passed.
   */
  static InferenceException explained(
      InferenceException failure,
      RequestDeadline deadline,
      ReadAhead ahead,
      HttpResponse response) {
    if (failure.code() != StatusCode.CANCELLED) {
      return failure;
    }
    if (ahead.isDisconnected()) {
      response.closeConnection(); // a client of HTTP/1.0 may read the response
      return new InferenceException(
          StatusCode.CANCELLED, "the client closed its connection before the response was sent");
    }
    if (ahead.isExpired()) {
      response.executed(); // perhaps it was
      return InferenceException.unavailable(
          "the server stops, and the request has not ended within the exit timeout");
    }
    return deadline.hasPassed() ? RequestDeadline.exceeded() : failure;
  }

  private DecodedRequest decode(LoadedModel model, HttpRequest request, HttpResponse response)
      throws IOException {
    ContentEncoding encoding = BodyDecoder.encoding(request, response);
    OptionalInt headLength = headLength(request);
    LeaseSource inputs = bodyDecoder.memory(request, model.inputPool());
    Lease body = bodyDecoder.read(request, encoding, headLength, inputs);
    long size = body.segment().byteSize();
    if (headLength.orElse(0) > size) {
      body.close();
      throw InferenceException.invalid(
          "inference header size should be in range (0, %d), got: %d"
              .formatted(size, headLength.getAsInt()));
    }
    if (headLength.orElse(-1) == 0 || size == 0) {
      return rawReader.read(body, model.config(), inputs);
    }
    long jsonSize = headLength.isPresent() ? headLength.getAsInt() : size;
    JsonRequestReader reader = reader(request);
    return longWork.call(
        request.client(), jsonSize, () -> reader.read(body, jsonSize, model.key().name(), inputs));
  }

  private JsonRequestReader reader(HttpRequest request) {
    if (readerWithoutRegions.isEmpty()) {
      return jsonReader;
    }
    return restricted
            .missing(ApiCategory.SHARED_MEMORY, name -> request.header(name).orElse(null))
            .isEmpty()
        ? jsonReader
        : readerWithoutRegions.get();
  }

  /** The length of the JSON before the binary tensors; empty if the whole body is JSON. */
  private static OptionalInt headLength(HttpRequest request) {
    Optional<String> header = request.header(InferResponses.HEAD_LENGTH);
    if (header.isEmpty()) {
      return OptionalInt.empty();
    }
    String text = header.get();
    long length;
    try {
      length = Long.parseLong(text);
    } catch (NumberFormatException notANumber) {
      throw text.matches("[+-]?\\d+") ? outOfRange(text) : unparsable(text);
    }
    if (length != (int) length) {
      throw outOfRange(text);
    }
    if (length < 0) {
      throw InferenceException.invalid(
          "inference header size should be in range (0, %s), got: %d"
              .formatted(request.body().declaredLength().orElse(0), length));
    }
    return OptionalInt.of((int) length);
  }

  private static InferenceException unparsable(String text) {
    return InferenceException.invalid(
        "Unable to parse Inference-Header-Content-Length, got: " + text);
  }

  private static InferenceException outOfRange(String text) {
    return InferenceException.invalid(
        "Unable to parse Inference-Header-Content-Length, value is out of range [ -2147483648,"
            + " 2147483647 ], got: "
            + text);
  }
}
