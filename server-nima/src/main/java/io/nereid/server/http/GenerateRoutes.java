package io.nereid.server.http;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.DecodedRequest;
import io.nereid.server.codec.json.GenerateRequestReader;
import io.nereid.server.codec.json.GenerateResponseWriter;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.message.ReadAhead;
import io.nereid.server.memory.Lease;
import io.nereid.server.memory.LeaseSource;
import io.nereid.server.memory.RequestMemory;
import io.nereid.server.model.LoadedModel;
import io.nereid.server.request.AwaitedResponses;
import io.nereid.server.request.InferenceResponse;
import io.nereid.server.telemetry.trace.RequestTrace;
import io.nereid.server.telemetry.trace.TracePoint;
import io.nereid.server.telemetry.trace.Tracer;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/**
 * The handlers of {@code POST .../generate} and {@code .../generate_stream}, Triton's generate
 * extension: for models that respond once and for decoupled ones. Runs on the connection's virtual
 * thread, which takes the responses from the instance one by one.
 */
final class GenerateRoutes {
  private static final String CONTENT_TYPE = "Content-Type";
  private static final String JSON = "application/json";
  private static final String EVENTS = "text/event-stream; charset=utf-8";

  /** About how many bytes of JSON a byte of a tensor takes. */
  private static final int CHARACTERS = 3;

  /** Events that come together are written together, up to about this size. */
  private static final int WRITTEN_AT_ONCE = 16 << 10;

  private final InferenceEngine engine;
  private final Tracer tracer;
  private final GenerateRequestReader reader;
  private final BodyDecoder bodyDecoder;
  private final RequestMemory memory;
  private final RequestLimit limit;
  private final LongWork longWork;

  GenerateRoutes(
      InferenceEngine engine,
      long maxInputSize,
      BodyDecoder bodyDecoder,
      RequestMemory memory,
      RequestLimit limit,
      LongWork longWork,
      Tracer tracer) {
    this.engine = engine;
    this.tracer = tracer;
    this.reader = new GenerateRequestReader(maxInputSize);
    this.bodyDecoder = bodyDecoder;
    this.memory = memory;
    this.limit = limit;
    this.longWork = longWork;
  }

  /** What is done with the responses of a request that was submitted. */
  private interface Taking<T> {
    T take(AwaitedResponses responses) throws IOException;
  }

  /** Responds with the only response of the model. */
  void generate(Route.OfModel route, HttpRequest request, HttpResponse response)
      throws IOException {
    ByteSink body =
        submit(route, request, response, responses -> only(request, response, responses));
    response.header(CONTENT_TYPE, JSON).send(body.array(), body.size(), List.of());
  }

  private ByteSink only(HttpRequest request, HttpResponse response, AwaitedResponses responses)
      throws IOException {
    try (InferenceResponse first = responses.take()) {
      if (first == null || hasMore(responses)) {
        throw InferenceException.internal(
            "generate expects model to produce exactly 1 response, use generate stream for model"
                + " that generates various number of responses");
      }
      var sink = new ByteSink(512);
      write(sink, first, GenerateResponseWriter::write);
      return sink;
    } catch (InferenceException failure) {
      throw InferRoutes.explained(failure, request.ahead(), response);
    }
  }

  private static boolean hasMore(AwaitedResponses responses) {
    try (InferenceResponse second = responses.take()) {
      return second != null;
    }
  }

  /** Sends each response as an event, as it comes. */
  void stream(Route.OfModel route, HttpRequest request, HttpResponse response) throws IOException {
    var _ =
        submit(
            route,
            request,
            response,
            responses -> {
              sendEvents(request, response, responses);
              return response;
            });
    begin(response);
    response.endParts();
  }

  private void sendEvents(HttpRequest request, HttpResponse response, AwaitedResponses responses)
      throws IOException {
    var sink = new ByteSink(512);
    try {
      while (writeNext(sink, responses)) {
        send(sink, response, responses);
      }
    } catch (InferenceException failure) {
      if (responses.isRejected()) {
        throw failure; // it has no event before it
      }
      InferenceException explained = InferRoutes.explained(failure, request.ahead(), response);
      if (!response.isSent()) {
        HttpResponses.failed(response, explained);
      }
      sink.clear();
      GenerateResponseWriter.writeErrorEvent(sink, explained.getMessage());
      send(sink, response, responses);
    }
  }

  /** Writes the next response; false if there is none. */
  private boolean writeNext(ByteSink sink, AwaitedResponses responses) throws IOException {
    try (InferenceResponse next = responses.take()) {
      if (next == null) {
        return false;
      }
      write(sink, next, GenerateResponseWriter::writeEvent);
      return true;
    }
  }

  /** Sends what was written, now or with the next event if that has come. */
  private static void send(ByteSink sink, HttpResponse response, AwaitedResponses responses)
      throws IOException {
    begin(response);
    response.addPart(sink.array(), sink.size());
    sink.clear();
    if (!responses.hasNext() || response.partsSize() >= WRITTEN_AT_ONCE) {
      response.flushParts();
    }
  }

  /** Sets the fields of a stream. The status is that of its first event. */
  private static void begin(HttpResponse response) {
    if (!response.isSent()) {
      response.header(CONTENT_TYPE, EVENTS);
    }
  }

  /** Submits a request; a disconnect of the client cancels it. */
  private <T> T submit(
      Route.OfModel route, HttpRequest request, HttpResponse response, Taking<T> taking)
      throws IOException {
    OptionalLong version = route.versionNumber();
    LoadedModel model = engine.model(route.model(), version);
    try (RequestTrace trace = tracer.sample(route.model())) {
      RequestTrace.mark(trace, TracePoint.HTTP_RECV_START);
      DecodedRequest decoded = decode(model, request, response);
      decoded.traced(trace);
      RequestTrace.mark(trace, TracePoint.HTTP_RECV_END);
      T taken = submit(model, version, request, decoded, taking);
      RequestTrace.mark(trace, TracePoint.INFER_RESPONSE_COMPLETE);
      return taken;
    }
  }

  private <T> T submit(
      LoadedModel model,
      OptionalLong version,
      HttpRequest request,
      DecodedRequest decoded,
      Taking<T> taking)
      throws IOException {
    ReadAhead ahead = request.ahead();
    try (decoded; // the engine takes it, unless the limit refuses it
        var responses = new AwaitedResponses(new UnreadResponses(memory, request.client()))) {
      limit.begin(request.client());
      try {
        engine.submit(model, version, decoded, responses.promise(), InferenceEngine.NO_LIMIT);
        ahead.begin(responses.promise()::cancel);
        return taking.take(responses);
      } finally {
        ahead.end();
        limit.end();
      }
    }
  }

  private DecodedRequest decode(LoadedModel model, HttpRequest request, HttpResponse response)
      throws IOException {
    String encoding = request.header("Content-Encoding").orElse("");
    if (!encoding.isEmpty() && !encoding.equals("identity")) {
      throw InferenceException.invalid(
          "Unsupported content-encoding, only 'identity' is supported.");
    }
    LeaseSource inputs = bodyDecoder.memory(request, model.inputPool());
    Lease body = bodyDecoder.read(request, response, OptionalInt.empty(), inputs);
    return longWork.call(
        body.segment().byteSize(), () -> reader.read(body, model.config(), inputs));
  }

  private void write(
      ByteSink sink, InferenceResponse response, BiConsumer<ByteSink, InferenceResponse> writer)
      throws IOException {
    long textSize = 0;
    for (Tensor output : response.outputs()) {
      textSize += CHARACTERS * output.byteSize();
    }
    var _ =
        longWork.call(
            textSize,
            () -> {
              writer.accept(sink, response);
              return sink.size();
            });
  }
}
