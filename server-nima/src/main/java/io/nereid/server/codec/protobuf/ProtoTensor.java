package io.nereid.server.codec.protobuf;

import io.nereid.protocol.inference.InferParameter;
import io.nereid.server.codec.RequestLimits;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An input, or a requested output, as parsed; an output has a name and parameters only. Owns its
 * contents.
 */
final class ProtoTensor implements AutoCloseable {
  String name = "";
  String dataType = "";
  Map<String, InferParameter> parameters = Map.of();

  /** Null if the message has none. */
  @Nullable TypedContents contents;

  private long[] dims = {};
  private int rank;

  /** The dimensions. */
  long[] shape() {
    return Arrays.copyOf(dims, rank);
  }

  void addDim(long dim) {
    if (rank == RequestLimits.MAX_RANK) {
      throw RequestLimits.tooMany("dimensions of a tensor", RequestLimits.MAX_RANK);
    }
    if (rank == dims.length) {
      dims = Arrays.copyOf(dims, Math.max(4, 2 * rank));
    }
    dims[rank++] = dim;
  }

  /** The parameters, to be added to. */
  Map<String, InferParameter> ownParameters() {
    if (parameters.isEmpty()) {
      parameters = new LinkedHashMap<>();
    }
    return parameters;
  }

  @Override
  public void close() {
    if (contents != null) {
      contents.close();
      contents = null;
    }
  }
}
