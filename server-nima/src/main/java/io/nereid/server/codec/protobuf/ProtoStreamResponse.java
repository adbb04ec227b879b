package io.nereid.server.codec.protobuf;

import com.google.protobuf.CodedOutputStream;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.request.Parameter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A {@code ModelStreamInferResponse}: a response, a failure, or the end of a request. */
public final class ProtoStreamResponse implements OutgoingMessage {
  private static final String FINAL = "triton_final_response";
  private static final int INFER_RESPONSE = 2;

  /** The bytes before those of the response. */
  private final byte[] head;

  private final @Nullable ProtoResponseWriter response;

  private ProtoStreamResponse(byte[] head, @Nullable ProtoResponseWriter response) {
    this.head = head;
    this.response = response;
  }

  /**
   * A response of the model.
   *
   * @param response borrowed until it is written
   * @param last whether it is the last response to its request
   * @throws InferenceException INVALID_ARGUMENT if the message exceeds gRPC's limit
   */
  public static ProtoStreamResponse of(InferenceResponse response, boolean last) {
    var writer = new ProtoResponseWriter(marked(response, last));
    byte[] head =
        new byte
            [CodedOutputStream.computeTagSize(INFER_RESPONSE)
                + CodedOutputStream.computeUInt32SizeNoTag(writer.byteSize())];
    CodedOutputStream coded = CodedOutputStream.newInstance(head);
    try {
      coded.writeTag(INFER_RESPONSE, ProtoInput.LENGTH_DELIMITED);
      coded.writeUInt32NoTag(writer.byteSize());
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to an array", impossible);
    }
    ProtoResponseWriter.requireWithinLimit((long) head.length + writer.byteSize());
    return new ProtoStreamResponse(head, writer);
  }

  /** The failure of a request that was rejected before it was queued. */
  public static ProtoStreamResponse rejection(String id, InferenceException reason) {
    return failure(ModelInferResponse.newBuilder().setId(id), reason);
  }

  /**
   * The failure of a request after it was queued.
   *
   * @param version as in the request, possibly empty
   */
  public static ProtoStreamResponse failure(
      String id, String model, String version, InferenceException reason) {
    return failure(ending(id, model, version), reason);
  }

  /**
   * The end of a decoupled request without a further response, for a client that asked for it.
   *
   * @param version as in the request, possibly empty
   */
  public static ProtoStreamResponse end(String id, String model, String version) {
    return new ProtoStreamResponse(
        ModelStreamInferResponse.newBuilder()
            .setInferResponse(ending(id, model, version))
            .build()
            .toByteArray(),
        null);
  }

  @Override
  public int byteSize() {
    return response == null ? head.length : head.length + response.byteSize();
  }

  @Override
  public void writeTo(OutputStream stream) throws IOException {
    stream.write(head);
    if (response != null) {
      response.writeTo(stream);
    }
  }

  @Override
  public @Nullable List<ByteBuffer> pieces() {
    List<ByteBuffer> pieces = response == null ? null : response.pieces();
    if (pieces == null) {
      return null;
    }
    List<ByteBuffer> all = new ArrayList<>(1 + pieces.size());
    all.add(ByteBuffer.wrap(head));
    all.addAll(pieces);
    return all;
  }

  private static InferenceResponse marked(InferenceResponse response, boolean last) {
    Map<String, Parameter> parameters = Map.of(FINAL, new Parameter.OfBoolean(last));
    if (!response.parameters().isEmpty()) {
      Map<String, Parameter> all = new HashMap<>(response.parameters());
      all.putAll(parameters);
      parameters = all;
    }
    return new InferenceResponse(
        response.model(), response.id(), parameters, response.outputs(), response.releases());
  }

  private static ModelInferResponse.Builder ending(String id, String model, String version) {
    return ModelInferResponse.newBuilder()
        .setId(id)
        .setModelName(model)
        .setModelVersion(version)
        .putParameters(FINAL, InferParameter.newBuilder().setBoolParam(true).build());
  }

  private static ProtoStreamResponse failure(
      ModelInferResponse.Builder response, InferenceException reason) {
    // Clients recognise a failure by a text that is not empty.
    String text = reason.getMessage().isEmpty() ? reason.code().text() : reason.getMessage();
    return new ProtoStreamResponse(
        ModelStreamInferResponse.newBuilder()
            .setErrorMessage(text)
            .setInferResponse(response)
            .build()
            .toByteArray(),
        null);
  }
}
