package io.nereid.server.http.inference;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.JsonParts;
import io.nereid.server.codec.json.JsonResponseWriter;
import io.nereid.server.codec.json.JsonResponseWriter.Form;
import io.nereid.server.codec.json.JsonResponseWriter.Output;
import io.nereid.server.http.body.ContentEncoding;
import io.nereid.server.http.body.PartedResponses;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Sends the responses of inference: short text at once, large binary outputs from where they lie,
 * long text, and what is to be compressed, in parts. Used by the connections' threads.
 *
 * @param pool of large bodies
 * @param memory counts it for clients
 */
public record InferResponses(LeaseSource pool, RequestMemory memory, PartedResponses parted) {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  static final String HEAD_LENGTH = "Inference-Header-Content-Length";
  private static final String CONTENT_TYPE = "Content-Type";

  /** The least size of binary outputs that are written from where they lie. */
  private static final long DIRECT = 16 << 10;

  /** About how many bytes of JSON a byte of a tensor takes. */
  private static final int CHARACTERS = 3;

  /** About the size of the JSON around the data. */
  private static final int FRAME = 768;

  /**
   * What was encoded.
   *
   * @param bytes the body's beginning, on the heap, unless it was moved
   * @param jsonSize the size of the JSON if binary data follows it, else -1
   * @param moved the body in leased memory
   */
  private record Encoded(ByteBuffer bytes, int jsonSize, Optional<Lease> moved) {}

  /**
   * Sends a response.
   *
   * @param taken is closed as soon as its outputs were read
   */
  void send(
      HttpRequest request,
      HttpResponse response,
      InferenceResponse taken,
      List<OutputRequest> requested,
      boolean binaryByDefault)
      throws IOException {
    Encoded encoded;
    ContentEncoding encoding = encoding(request);
    try (InferenceResponse result = taken) {
      List<Output> outputs = new ArrayList<>(result.outputs().size());
      long binarySize = 0;
      long textSize = 0;
      for (Tensor output : result.outputs()) {
        Form form = form(output, requested, binaryByDefault);
        outputs.add(new Output(output, form));
        switch (form) {
          case BINARY -> binarySize += output.byteSize();
          case TEXT -> textSize += CHARACTERS * output.byteSize();
          case REGION -> {} // it is in neither part
        }
      }
      boolean isIdentity = encoding == ContentEncoding.IDENTITY;
      if ((isIdentity ? textSize : textSize + binarySize) >= LongWork.LEAST) {
        sendParts(request, response, result, outputs, encoding);
        return;
      }
      boolean isDirect = isIdentity && binarySize >= DIRECT;
      long expected = FRAME + textSize + (isDirect ? 0 : binarySize);
      int capacity = (int) Math.min(expected, LongWork.LEAST);
      encoded = encode(capacity, result, outputs, isDirect, encoding, request);
      if (isDirect) {
        send(response, encoding, encoded, binaryData(outputs));
        return;
      }
    }
    send(response, encoding, encoded, List.of());
  }

  /** Sends a response with much text, or with much to compress. */
  private void sendParts(
      HttpRequest request,
      HttpResponse response,
      InferenceResponse result,
      List<Output> outputs,
      ContentEncoding encoding)
      throws IOException {
    long outputBytes = 0;
    boolean hasBinary = false;
    for (Output output : outputs) {
      outputBytes += output.tensor().byteSize();
      hasBinary |= output.form() == Form.BINARY && output.tensor().byteSize() > 0;
    }
    JsonParts parts = parted.parts(request, () -> parts(result, outputs, true));
    long jsonSize =
        hasBinary
            ? parted.size(request, parted.parts(request, () -> parts(result, outputs, false)))
            : -1;
    parted.send(
        request,
        response,
        () -> setFields(response, encoding, jsonSize),
        parts,
        outputBytes,
        encoding);
    response.endParts();
  }

  private static JsonParts parts(
      InferenceResponse result, List<Output> outputs, boolean withBinary) {
    return JsonResponseWriter.parts(
        result.id(), result.model(), result.parameters(), outputs, withBinary);
  }

  /**
   * Encodes a response.
   *
   * @param capacity about how many bytes it takes
   * @param isDirect whether binary outputs follow what is encoded, from where they lie
   */
  private Encoded encode(
      int capacity,
      InferenceResponse result,
      List<Output> outputs,
      boolean isDirect,
      ContentEncoding encoding,
      HttpRequest request) {
    var sink = new ByteSink(capacity);
    if (isDirect) {
      JsonResponseWriter.writeJson(sink, result.id(), result.model(), result.parameters(), outputs);
      return moved(sink.array(), sink.size(), sink.size(), request);
    }
    int written =
        JsonResponseWriter.write(sink, result.id(), result.model(), result.parameters(), outputs);
    int jsonSize = sink.size() > written ? written : -1;
    if (encoding == ContentEncoding.IDENTITY) {
      return moved(sink.array(), sink.size(), jsonSize, request);
    }
    byte[] compressed = encoding.compress(sink.array(), sink.size());
    return moved(compressed, compressed.length, jsonSize, request);
  }

  /** Moves a large body to leased memory. */
  private Encoded moved(byte[] bytes, int length, int jsonSize, HttpRequest request) {
    if (length < LongWork.LEAST) {
      return new Encoded(ByteBuffer.wrap(bytes, 0, length), jsonSize, Optional.empty());
    }
    Lease lease = memory.of(pool, request.client()).lease(length);
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, lease.segment(), 0, length);
    return new Encoded(NOTHING, jsonSize, Optional.of(lease));
  }

  private static void send(
      HttpResponse response, ContentEncoding encoding, Encoded encoded, List<MemorySegment> rest)
      throws IOException {
    setFields(response, encoding, encoded.jsonSize());
    if (encoded.moved().isEmpty()) {
      response.send(encoded.bytes().array(), encoded.bytes().limit(), rest);
      return;
    }
    try (Lease lease = encoded.moved().get()) {
      List<MemorySegment> parts = new ArrayList<>(1 + rest.size());
      parts.add(lease.segment());
      parts.addAll(rest);
      response.send(NOTHING.array(), 0, parts);
    }
  }

  /**
   * Sets the fields of a response.
   *
   * @param jsonSize the size of the JSON if binary data follows it, else -1
   */
  private static void setFields(HttpResponse response, ContentEncoding encoding, long jsonSize) {
    if (jsonSize < 0) {
      response.header(CONTENT_TYPE, "application/json");
    } else {
      response
          .header(CONTENT_TYPE, "application/octet-stream")
          .header(HEAD_LENGTH, Long.toString(jsonSize));
    }
    if (encoding != ContentEncoding.IDENTITY) {
      response.header("Content-Encoding", encoding.token());
    }
  }

  private static ContentEncoding encoding(HttpRequest request) {
    return request
        .header("Accept-Encoding")
        .map(ContentEncoding::choose)
        .orElse(ContentEncoding.IDENTITY);
  }

  private static List<MemorySegment> binaryData(List<Output> outputs) {
    List<MemorySegment> data = new ArrayList<>(outputs.size());
    for (Output output : outputs) {
      if (output.form() == Form.BINARY) {
        data.add(output.tensor().data());
      }
    }
    return data;
  }

  private static Form form(Tensor output, List<OutputRequest> requested, boolean binaryByDefault) {
    boolean binary = binaryByDefault;
    for (OutputRequest request : requested) {
      if (request.name().equals(output.name())) {
        if (request.target() != null) {
          return Form.REGION;
        }
        binary = request.binary();
      }
    }
    return binary ? Form.BINARY : Form.TEXT;
  }
}
