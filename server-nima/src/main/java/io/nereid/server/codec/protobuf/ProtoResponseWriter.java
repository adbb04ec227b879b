package io.nereid.server.codec.protobuf;

import com.google.protobuf.CodedOutputStream;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes an {@link InferenceResponse} as a {@code ModelInferResponse}. The data of the tensors
 * ({@code raw_output_contents}) is copied from its segments into the transport's stream; all other
 * fields are encoded into a small array before.
 */
public final class ProtoResponseWriter implements OutgoingMessage {
  private static final int RAW_OUTPUT_CONTENTS = 6;
  private static final int CHUNK = 16 << 10;

  /** The most bytes before a tensor: its tag and its length. */
  private static final int MAX_PREFIX = 11;

  private final List<Tensor> outputs;
  private final byte[] head;
  private final int byteSize;

  /**
   * Computes the size of the message.
   *
   * @param response borrowed until it is written
   * @throws InferenceException INVALID_ARGUMENT if the message exceeds gRPC's limit
   */
  public ProtoResponseWriter(InferenceResponse response) {
    this.outputs = response.outputs();
    this.head = head(response);
    long total = head.length;
    for (Tensor output : outputs) {
      total +=
          CodedOutputStream.computeTagSize(RAW_OUTPUT_CONTENTS)
              + CodedOutputStream.computeUInt64SizeNoTag(output.byteSize())
              + output.byteSize();
    }
    requireWithinLimit(total);
    this.byteSize = (int) total;
  }

  /** Fails for a message that exceeds gRPC's limit. */
  static void requireWithinLimit(long byteSize) {
    if (byteSize > Integer.MAX_VALUE) {
      throw InferenceException.invalid(
          "Response has byte size %d which exceeds gRPC's byte size limit %d."
              .formatted(byteSize, Integer.MAX_VALUE));
    }
  }

  @Override
  public int byteSize() {
    return byteSize;
  }

  @Override
  public void writeTo(OutputStream stream) throws IOException {
    stream.write(head);
    byte[] chunk = new byte[Math.min(CHUNK, byteSize - head.length + 16)];
    for (Tensor output : outputs) {
      CodedOutputStream prefix = CodedOutputStream.newInstance(chunk);
      writePrefix(prefix, output);
      int filled = prefix.getTotalBytesWritten();
      long offset = 0;
      long end = output.byteSize();
      do {
        int count = (int) Math.min(end - offset, chunk.length - filled);
        MemorySegment.copy(output.data(), offset, MemorySegment.ofArray(chunk), filled, count);
        stream.write(chunk, 0, filled + count);
        offset += count;
        filled = 0;
      } while (offset < end);
    }
  }

  @Override
  public @Nullable List<ByteBuffer> pieces() {
    List<ByteBuffer> pieces = new ArrayList<>(2 * outputs.size() + 1);
    ByteBuffer encoded = ByteBuffer.allocate(head.length + outputs.size() * MAX_PREFIX).put(head);
    int start = 0;
    for (Tensor output : outputs) {
      putPrefix(encoded, output);
      if (output.byteSize() > 0) {
        if (!output.data().isNative()) {
          return null;
        }
        pieces.add(encoded.slice(start, encoded.position() - start));
        pieces.add(output.data().asByteBuffer());
        start = encoded.position();
      }
    }
    if (encoded.position() > start) {
      pieces.add(encoded.slice(start, encoded.position() - start));
    }
    return pieces;
  }

  private static void putPrefix(ByteBuffer target, Tensor output) {
    CodedOutputStream coded = CodedOutputStream.newInstance(target);
    try {
      writePrefix(coded, output);
      coded.flush();
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to an array", impossible);
    }
  }

  private static void writePrefix(CodedOutputStream coded, Tensor output) throws IOException {
    coded.writeTag(RAW_OUTPUT_CONTENTS, ProtoInput.LENGTH_DELIMITED);
    coded.writeUInt64NoTag(output.byteSize());
  }

  private static byte[] head(InferenceResponse response) {
    String version = Long.toString(response.model().version());
    int size =
        CodedOutputStream.computeStringSize(1, response.model().name())
            + CodedOutputStream.computeStringSize(2, version)
            + (response.id().isEmpty() ? 0 : CodedOutputStream.computeStringSize(3, response.id()));
    for (Map.Entry<String, Parameter> parameter : response.parameters().entrySet()) {
      size += messageSize(parameterSize(parameter.getKey(), parameter.getValue()));
    }
    for (Tensor output : response.outputs()) {
      size += messageSize(tensorSize(output));
    }
    byte[] head = new byte[size];
    CodedOutputStream coded = CodedOutputStream.newInstance(head);
    try {
      coded.writeString(1, response.model().name());
      coded.writeString(2, version);
      if (!response.id().isEmpty()) {
        coded.writeString(3, response.id());
      }
      for (Map.Entry<String, Parameter> parameter : response.parameters().entrySet()) {
        writeParameter(coded, parameter.getKey(), parameter.getValue());
      }
      for (Tensor output : response.outputs()) {
        writeTensor(coded, output);
      }
      coded.checkNoSpaceLeft();
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to an array", impossible);
    }
    return head;
  }

  /** The size of a nested message with its length and its tag, one byte for fields up to 15. */
  private static int messageSize(int size) {
    return 1 + CodedOutputStream.computeUInt32SizeNoTag(size) + size;
  }

  private static int parameterSize(String key, Parameter value) {
    return CodedOutputStream.computeStringSize(1, key)
        + CodedOutputStream.computeMessageSize(2, ProtoParameters.write(value));
  }

  private static void writeParameter(CodedOutputStream coded, String key, Parameter value)
      throws IOException {
    InferParameter message = ProtoParameters.write(value);
    coded.writeTag(4, ProtoInput.LENGTH_DELIMITED);
    coded.writeUInt32NoTag(parameterSize(key, value));
    coded.writeString(1, key);
    coded.writeMessage(2, message);
  }

  private static int tensorSize(Tensor tensor) {
    int packed = packedSize(tensor);
    return CodedOutputStream.computeStringSize(1, tensor.name())
        + CodedOutputStream.computeStringSize(2, tensor.dataType().name())
        + (tensor.shape().rank() == 0 ? 0 : messageSize(packed));
  }

  private static int packedSize(Tensor tensor) {
    int size = 0;
    for (int i = 0; i < tensor.shape().rank(); i++) {
      size += CodedOutputStream.computeInt64SizeNoTag(tensor.shape().dim(i));
    }
    return size;
  }

  private static void writeTensor(CodedOutputStream coded, Tensor tensor) throws IOException {
    coded.writeTag(5, ProtoInput.LENGTH_DELIMITED);
    coded.writeUInt32NoTag(tensorSize(tensor));
    coded.writeString(1, tensor.name());
    coded.writeString(2, tensor.dataType().name());
    if (tensor.shape().rank() > 0) {
      coded.writeTag(3, ProtoInput.LENGTH_DELIMITED);
      coded.writeUInt32NoTag(packedSize(tensor));
      for (int i = 0; i < tensor.shape().rank(); i++) {
        coded.writeInt64NoTag(tensor.shape().dim(i));
      }
    }
  }
}
