package io.nereid.server.http;

import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.DecodedRequest;
import io.nereid.server.codec.OutputRequest;
import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.server.codec.json.JsonResponseWriter;
import io.nereid.server.codec.json.RawRequestReader;
import io.nereid.server.engine.ClassifiedResponse;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.model.LoadedModel;
import io.nereid.server.request.AwaitedResponse;
import io.nereid.server.request.InferenceResponse;
import io.nereid.server.request.ResponsePromise;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The handler of {@code POST .../infer}. Runs on the connection's virtual thread. */
final class InferRoutes {
  private static final HeaderName HEAD_LENGTH =
      HeaderNames.create("Inference-Header-Content-Length");
  private static final Header BINARY =
      HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "application/octet-stream");

  /** The least size of binary outputs that are written in place, past Helidon. */
  private static final long DIRECT = 16 << 10;

  private final InferenceEngine engine;
  private final BufferPool pool;
  private final JsonRequestReader jsonReader;
  private final RawRequestReader rawReader;
  private final BodyDecoder bodyDecoder;

  InferRoutes(InferenceEngine engine, BufferPool pool, long maxInputSize) {
    this.engine = engine;
    this.pool = pool;
    this.jsonReader = new JsonRequestReader(maxInputSize);
    this.rawReader = new RawRequestReader(maxInputSize);
    this.bodyDecoder = new BodyDecoder(maxInputSize);
  }

  void infer(Route.OfModel route, ServerRequest request, ServerResponse response) {
    OptionalLong version = route.versionNumber();
    LoadedModel model = engine.model(route.model(), version);
    if (model.config().decoupled()) {
      throw InferenceException.unsupported(
          "HTTP end point doesn't support models with decoupled transaction policy");
    }
    DecodedRequest decoded = decode(model, request, response);
    List<OutputRequest> outputs = decoded.outputs();
    boolean binaryByDefault = decoded.binaryByDefault();
    var receiver = new AwaitedResponse();
    var promise = new ResponsePromise(receiver);
    engine.submit(model, version, decoded, promise, InferenceEngine.NO_LIMIT);
    try (InferenceResponse result =
        ClassifiedResponse.of(await(receiver, promise, response), outputs, model, pool)) {
      send(encoding(request), response, result, outputs, binaryByDefault);
    }
  }

  /** Waits for the result; a disconnect of the client cancels the request. */
  private static InferenceResponse await(
      AwaitedResponse receiver, ResponsePromise promise, ServerResponse response) {
    if (!DirectSocket.CURRENT.isBound()) {
      return receiver.await(promise);
    }
    ReadAhead ahead = DirectSocket.CURRENT.get().ahead();
    ahead.begin(promise);
    try {
      return receiver.await(promise);
    } catch (InferenceException failure) {
      if (failure.code() == StatusCode.CANCELLED && ahead.isDisconnected()) {
        response.header(HeaderValues.CONNECTION_CLOSE); // read by clients that half-closed
        throw new InferenceException(
            StatusCode.CANCELLED, "the client closed its connection before the response was sent");
      }
      throw failure;
    } finally {
      ahead.end();
    }
  }

  private DecodedRequest decode(LoadedModel model, ServerRequest request, ServerResponse response) {
    int headLength = headLength(request);
    RequestBody body =
        bodyDecoder.read(request, response, Math.max(headLength, 0), model.inputPool());
    long size = body.segment().byteSize();
    if (headLength > size) {
      body.close();
      throw InferenceException.invalid(
          "inference header size should be in range (0, %d), got: %d".formatted(size, headLength));
    }
    if (headLength == 0 || size == 0) {
      return rawReader.read(body, model.config(), model.inputPool());
    }
    return jsonReader.read(
        body, headLength < 0 ? size : headLength, model.key().name(), model.inputPool());
  }

  /** The length of the JSON before the binary tensors; -1 if the whole body is JSON. */
  private static int headLength(ServerRequest request) {
    if (!request.headers().contains(HEAD_LENGTH)) {
      return -1;
    }
    String text = request.headers().get(HEAD_LENGTH).get();
    long length;
    try {
      length = Long.parseLong(text);
    } catch (NumberFormatException notANumber) {
      boolean digits = text.chars().allMatch(Character::isDigit) && !text.isEmpty();
      throw digits ? outOfRange(text) : unparsable(text);
    }
    if (length != (int) length) {
      throw outOfRange(text);
    }
    if (length < 0) {
      throw InferenceException.invalid(
          "inference header size should be in range (0, %s), got: %d"
              .formatted(request.headers().contentLength().orElse(0), length));
    }
    return (int) length;
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

  private static ResponseEncoding encoding(ServerRequest request) {
    return request.headers().contains(HeaderNames.ACCEPT_ENCODING)
        ? ResponseEncoding.choose(request.headers().get(HeaderNames.ACCEPT_ENCODING).get())
        : ResponseEncoding.IDENTITY;
  }

  private static void send(
      ResponseEncoding encoding,
      ServerResponse response,
      InferenceResponse result,
      List<OutputRequest> requested,
      boolean binaryByDefault) {
    List<JsonResponseWriter.Output> outputs = new ArrayList<>(result.outputs().size());
    for (Tensor output : result.outputs()) {
      outputs.add(
          new JsonResponseWriter.Output(output, isBinary(output, requested, binaryByDefault)));
    }
    long binarySize = 0;
    for (JsonResponseWriter.Output output : outputs) {
      binarySize += output.binary() ? output.tensor().byteSize() : 0;
    }
    var sink = new ByteSink(512);
    if (binarySize >= DIRECT
        && encoding == ResponseEncoding.IDENTITY
        && DirectSocket.CURRENT.isBound()) {
      JsonResponseWriter.writeJson(sink, result.id(), result.model(), result.parameters(), outputs);
      binaryHeaders(response, sink.size());
      response.contentLength(sink.size() + binarySize);
      response.send(sink.array(), 0, sink.size());
      writeDirectly(outputs);
      return;
    }
    int jsonSize =
        JsonResponseWriter.write(sink, result.id(), result.model(), result.parameters(), outputs);
    if (sink.size() > jsonSize) {
      binaryHeaders(response, jsonSize);
    } else {
      response.header(HttpResponses.JSON);
    }
    if (encoding == ResponseEncoding.IDENTITY) {
      response.send(sink.array(), 0, sink.size());
    } else {
      response.header(HeaderNames.CONTENT_ENCODING, encoding.token());
      response.send(encoding.compress(sink.array(), sink.size()));
    }
  }

  private static void binaryHeaders(ServerResponse response, int jsonSize) {
    response.header(BINARY).header(HeaderValues.create(HEAD_LENGTH, jsonSize));
  }

  private static void writeDirectly(List<JsonResponseWriter.Output> outputs) {
    for (JsonResponseWriter.Output output : outputs) {
      if (output.binary()) {
        DirectSocket.CURRENT.get().write(output.tensor().data());
      }
    }
  }

  private static boolean isBinary(
      Tensor output, List<OutputRequest> requested, boolean binaryByDefault) {
    for (OutputRequest request : requested) {
      if (request.name().equals(output.name())) {
        return request.binary();
      }
    }
    return binaryByDefault;
  }
}
