package io.nereid.onnx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * The operators of a model's file: whether the time of an execution follows from the shapes of its
 * inputs, since each operator reads its inputs once or a fixed number of times, and has an output
 * whose shape no value decides. Reads of onnx.proto what it needs; weights are skipped.
 */
final class OnnxOperators {
  private static final Set<String> BOUNDED =
      Set.of(
          """
          Abs Add And ArgMax ArgMin AveragePool BatchNormalization Cast Ceil Clip Concat
          Constant Conv Cos DequantizeLinear Div Elu Equal Erf Exp Flatten Floor Gelu Gemm
          GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual HardSigmoid HardSwish
          Identity LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax MatMul Max
          MaxPool Mean Min Mul Neg Not Or PRelu Pow QuantizeLinear Reciprocal ReduceMax
          ReduceMean ReduceMin ReduceSum Relu Round Sigmoid Sign Sin Softmax Softplus Sqrt
          Sub Sum Tanh Transpose Where Xor
          """
              .split("\\s+"));

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int MESSAGE = 2;
  private static final int FIXED32 = 5;

  // Fields of ModelProto, GraphProto and NodeProto.
  private static final int GRAPH = 7 << 3 | MESSAGE;
  private static final int FUNCTION = 25 << 3 | MESSAGE;
  private static final int NODE = 1 << 3 | MESSAGE;
  private static final int OP_TYPE = 4 << 3 | MESSAGE;
  private static final int DOMAIN = 7 << 3 | MESSAGE;

  private final MemorySegment file;
  private long at;

  private OnnxOperators(MemorySegment file) {
    this.file = file;
  }

  /** Whether all operators of a file are bounded; false if it is not understood. */
  static boolean areBounded(Path path) {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      long byteSize = channel.size();
      return new OnnxOperators(channel.map(FileChannel.MapMode.READ_ONLY, 0, byteSize, arena))
          .model(byteSize);
    } catch (IOException | IndexOutOfBoundsException notUnderstood) {
      return false;
    }
  }

  private boolean model(long end) throws IOException {
    boolean bounded = false;
    while (at < end) {
      int tag = (int) varint();
      if (tag == FUNCTION || (tag == GRAPH && !graph(end()))) {
        return false;
      }
      if (tag == GRAPH) {
        bounded = true;
      } else {
        skip(tag);
      }
    }
    return bounded;
  }

  private boolean graph(long end) throws IOException {
    while (at < end) {
      int tag = (int) varint();
      if (tag != NODE) {
        skip(tag);
      } else if (!node(end())) {
        return false;
      }
    }
    return true;
  }

  private boolean node(long end) throws IOException {
    String operator = "";
    String domain = "";
    while (at < end) {
      int tag = (int) varint();
      if (tag == OP_TYPE) {
        operator = text();
      } else if (tag == DOMAIN) {
        domain = text();
      } else {
        skip(tag);
      }
    }
    return BOUNDED.contains(operator) && (domain.isEmpty() || "ai.onnx".equals(domain));
  }

  /** The end of the message that begins here. */
  private long end() throws IOException {
    long length = varint();
    if (length < 0 || length > file.byteSize() - at) {
      throw new IOException("a field is longer than the file");
    }
    return at + length;
  }

  private String text() throws IOException {
    long end = end();
    byte[] bytes = file.asSlice(at, end - at).toArray(ValueLayout.JAVA_BYTE);
    at = end;
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private void skip(int tag) throws IOException {
    switch (tag & 7) {
      case VARINT -> varint();
      case FIXED64 -> at += Long.BYTES;
      case MESSAGE -> at = end();
      case FIXED32 -> at += Integer.BYTES;
      default -> throw new IOException("a field of an unknown type");
    }
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = file.get(ValueLayout.JAVA_BYTE, at++);
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }
}
