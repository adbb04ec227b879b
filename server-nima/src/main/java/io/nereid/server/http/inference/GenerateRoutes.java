package io.nereid.server.http.inference;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.AwaitedResponses;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.GenerateRequestReader;
import io.nereid.server.codec.json.GenerateResponseWriter;
import io.nereid.server.codec.json.JsonParts;
import io.nereid.server.http.body.BodyDecoder;
import io.nereid.server.http.body.ContentEncoding;
import io.nereid.server.http.body.PartedResponses;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.message.ReadAhead;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of {@code POST .../generate} and {@code .../generate_stream}, Triton's generate
 * extension: for models that respond once and for decoupled ones. Runs on the connection's virtual
 * thread, which takes the responses from the instance one by one.
 */
public record GenerateRoutes(
    HttpInference requests,
    GenerateRequestReader reader,
    BodyDecoder bodyDecoder,
    RequestMemory memory,
    PartedResponses parted) {
  private static final String CONTENT_TYPE = "Content-Type";
  private static final String JSON = "application/json";
  private static final String EVENTS = "text/event-stream; charset=utf-8";

  /** An event stream's, which clients ignore. */
  private static final byte[] COMMENT = {':', '\n', '\n'};

  /** About how many bytes of JSON a byte of a tensor takes. */
  private static final int CHARACTERS = 3;

  /** The least size of the text of a response that is written in parts. */
  private static final long LARGE = 64 << 10;

  /** Events that come together are written together, up to about this size. */
  private static final int WRITTEN_AT_ONCE = 16 << 10;

  /** A request, and the responses that have come to it. */
  private record Submitted(RoutedInference asked, AwaitedResponses responses) {
    /** Waits for the next response; a deadline or a disconnect cancels the request. */
    @Nullable InferenceResponse take() {
      ReadAhead ahead = asked.request.ahead();
      ahead.begin(this::sendProbe, responses.promise()::cancel);
      try {
        InferenceResponse taken = responses.take(asked.leftNanos());
        asked.response.executed();
        return taken;
      } finally {
        ahead.end();
      }
    }

    /** Writes an interim response, or a comment among the events. */
    private boolean sendProbe() throws IOException {
      if (!response().isSent()) {
        return response().sendProbe();
      }
      response().addPart(COMMENT, COMMENT.length);
      response().flushParts();
      return true;
    }

    /** All responses are taken. */
    void ended() {
      asked.ended();
      asked.telemetry().reached(TracePoint.INFER_RESPONSE_COMPLETE);
    }

    HttpRequest request() {
      return asked.request;
    }

    HttpResponse response() {
      return asked.response;
    }
  }

  /** What is done with the responses of a request. */
  private interface Taking {
    void take(Submitted submitted) throws IOException;
  }

  /** Responds with the only response of the model. */
  public void generate(Route.OfModel route, HttpRequest request, HttpResponse response)
      throws IOException {
    requests.serve(route, request, response, this::decode, asked -> submit(asked, this::only));
  }

  private void only(Submitted submitted) throws IOException {
    ByteSink text = text(submitted);
    submitted.ended();
    HttpResponse response = submitted.response();
    if (response.isSent()) {
      response.endParts();
    } else {
      response.header(CONTENT_TYPE, JSON).send(text.array(), text.size(), List.of());
    }
  }

  /** The only response, if it was not sent in parts. */
  private ByteSink text(Submitted submitted) throws IOException {
    try (InferenceResponse first = submitted.take()) {
      if (first == null || hasMore(submitted)) {
        throw InferenceException.internal(
            "generate expects model to produce exactly 1 response, use generate stream for model"
                + " that generates various number of responses");
      }
      var sink = new ByteSink(512);
      long textSize = textSize(first);
      if (textSize < LARGE) {
        GenerateResponseWriter.parts(first).writeAll(sink);
      } else {
        JsonParts parts =
            parted.parts(submitted.request(), () -> GenerateResponseWriter.parts(first));
        parted.send(
            submitted.request(),
            submitted.response(),
            () -> submitted.response().header(CONTENT_TYPE, JSON),
            parts,
            textSize / CHARACTERS,
            ContentEncoding.IDENTITY);
      }
      return sink;
    } catch (InferenceException failure) {
      throw submitted.asked.explained(failure);
    }
  }

  private static boolean hasMore(Submitted submitted) {
    try (InferenceResponse second = submitted.take()) {
      return second != null;
    }
  }

  /** Sends each response as an event, as it comes. */
  public void stream(Route.OfModel route, HttpRequest request, HttpResponse response)
      throws IOException {
    requests.serve(route, request, response, this::decode, asked -> submit(asked, this::events));
  }

  private void events(Submitted submitted) throws IOException {
    sendEvents(submitted);
    submitted.ended();
    begin(submitted.response());
    submitted.response().endParts();
  }

  private void sendEvents(Submitted submitted) throws IOException {
    var sink = new ByteSink(512);
    try {
      while (sendNext(sink, submitted)) {
        sink.clear();
      }
    } catch (InferenceException failure) {
      if (submitted.responses.isRejected()) {
        throw failure; // it has no event before it
      }
      InferenceException explained = submitted.asked.explained(failure);
      submitted.asked.telemetry().failed(explained);
      if (!submitted.response().isSent()) {
        HttpResponses.failed(submitted.response(), explained);
      }
      submitted.response().error(explained.getMessage());
      sink.clear();
      GenerateResponseWriter.writeErrorEvent(sink, explained.getMessage());
      send(sink, submitted);
    }
  }

  /** Sends the next response; false if there is none. */
  private boolean sendNext(ByteSink sink, Submitted submitted) throws IOException {
    try (InferenceResponse next = submitted.take()) {
      if (next == null) {
        return false;
      }
      long textSize = textSize(next);
      if (textSize >= LARGE) {
        JsonParts parts =
            parted.parts(submitted.request(), () -> GenerateResponseWriter.eventParts(next));
        parted.sendEvent(
            submitted.request(),
            submitted.response(),
            () -> begin(submitted.response()),
            parts,
            textSize / CHARACTERS);
        return true;
      }
      GenerateResponseWriter.eventParts(next).writeAll(sink);
    }
    send(sink, submitted);
    return true;
  }

  /** Sends what was written, now or with the next event if that has come. */
  private static void send(ByteSink sink, Submitted submitted) throws IOException {
    HttpResponse response = submitted.response();
    begin(response);
    response.addPart(sink.array(), sink.size());
    sink.clear();
    if (!submitted.responses.hasNext() || response.partsSize() >= WRITTEN_AT_ONCE) {
      response.flushParts();
    }
  }

  /** Sets the fields of a stream. The status is that of its first event. */
  private static void begin(HttpResponse response) {
    if (!response.isSent()) {
      response.header(CONTENT_TYPE, EVENTS);
    }
  }

  private void submit(RoutedInference asked, Taking taking) throws IOException {
    try (var responses =
        new AwaitedResponses(
            new UnreadResponses(memory, asked.request.client()), asked.telemetry())) {
      asked.submit(responses.promise());
      taking.take(new Submitted(asked, responses));
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
    Lease body = bodyDecoder.readDocument(request, response, inputs);
    return requests
        .longWork()
        .call(
            request.client(),
            body.segment().byteSize(),
            () -> reader.read(body, model.config(), model.takesMissing(), inputs));
  }

  /** About the size of a response's JSON. */
  private static long textSize(InferenceResponse response) {
    long textSize = 0;
    for (Tensor output : response.outputs()) {
      textSize += CHARACTERS * output.byteSize();
    }
    return textSize;
  }
}
