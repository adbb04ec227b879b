package io.nereid.server.http.inference;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.server.codec.json.RawRequestReader;
import io.nereid.server.frontend.FinishedResponse;
import io.nereid.server.http.body.BodyDecoder;
import io.nereid.server.http.body.ContentEncoding;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.route.ForbiddenException;
import io.nereid.server.http.route.Route;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.RestrictedApis;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The handler of {@code POST .../infer}. Runs on the connection's virtual thread. */
public final class InferRoutes {
  private final HttpInference requests;
  private final BufferPool pool;
  private final JsonRequestReader jsonReader;

  /** For clients that may not use regions; empty if all may. */
  private final Optional<JsonRequestReader> readerWithoutRegions;

  private final RestrictedApis restricted;
  private final BodyDecoder bodyDecoder;
  private final LongWork longWork;
  private final InferResponses responses;

  public InferRoutes(
      HttpInference requests,
      BufferPool pool,
      SharedRegions regions,
      RestrictedApis restricted,
      long maxInputSize,
      BodyDecoder bodyDecoder,
      InferResponses responses) {
    this.requests = requests;
    this.pool = pool;
    this.jsonReader = new JsonRequestReader(maxInputSize, regions);
    this.restricted = restricted;
    this.readerWithoutRegions =
        restricted
            .header(ApiCategory.SHARED_MEMORY)
            .map(header -> SharedRegions.denied(() -> new ForbiddenException(header)))
            .map(denied -> new JsonRequestReader(maxInputSize, denied));
    this.bodyDecoder = bodyDecoder;
    this.longWork = requests.longWork();
    this.responses = responses;
  }

  public void infer(Route.OfModel route, HttpRequest request, HttpResponse response)
      throws IOException {
    requests.serve(route, request, response, this::decode, this::respond);
  }

  private void respond(RoutedInference asked) throws IOException {
    List<OutputRequest> outputs = asked.decoded().outputs();
    boolean binaryByDefault = asked.decoded().binaryByDefault();
    InferenceResponse awaited = asked.awaitResponse();
    InferenceResponse result = finished(awaited, outputs, asked.model(), asked.request);
    asked.telemetry().reached(TracePoint.HTTP_SEND_START);
    responses.send(asked.request, asked.response, result, outputs, binaryByDefault);
    asked.telemetry().reached(TracePoint.HTTP_SEND_END);
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

  private DecodedRequest decode(LoadedModel model, HttpRequest request, HttpResponse response)
      throws IOException {
    if (model.config().decoupled()) {
      throw InferenceException.unsupported(
          "HTTP end point doesn't support models with decoupled transaction policy");
    }
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
      return RawRequestReader.read(body, model.config(), inputs);
    }
    long jsonSize = headLength.isPresent() ? headLength.getAsInt() : size;
    JsonRequestReader reader = reader(request);
    return longWork.call(
        request.client(),
        jsonSize,
        () -> reader.read(body, jsonSize, model.key().name(), model.takesMissing(), inputs));
  }

  private JsonRequestReader reader(HttpRequest request) {
    return readerWithoutRegions
        .filter(_ -> restricted.missing(ApiCategory.SHARED_MEMORY, request::header).isPresent())
        .orElse(jsonReader);
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
      throw text.matches("[+-]?\\d+")
          ? outOfRange(text)
          : InferenceException.invalid(
              "Unable to parse Inference-Header-Content-Length, got: " + text);
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

  private static InferenceException outOfRange(String text) {
    return InferenceException.invalid(
        "Unable to parse Inference-Header-Content-Length, value is out of range [ -2147483648,"
            + " 2147483647 ], got: "
            + text);
  }
}
