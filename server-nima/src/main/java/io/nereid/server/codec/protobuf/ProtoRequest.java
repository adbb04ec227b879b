package io.nereid.server.codec.protobuf;

import io.nereid.engine.memory.Lease;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.server.codec.RequestLimits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@code ModelInferRequest} as parsed, before its content is checked; or the failure to parse
 * one. Owns the pooled memory of its tensors until {@link ProtoRequestReader} takes it.
 */
public final class ProtoRequest implements AutoCloseable {
  String modelName = "";
  String modelVersion = "";
  String id = "";
  final Map<String, InferParameter> parameters = new LinkedHashMap<>(0);
  final List<ProtoTensor> inputs = new ArrayList<>(2);
  final List<ProtoTensor> outputs = new ArrayList<>(2);
  List<Lease> rawContents = new ArrayList<>(2);
  private long parameterBytes;
  private @Nullable InferenceException failure;
  private @Nullable UnreadMessage unread;

  ProtoRequest() {}

  /** Stands for a message that could not be parsed. */
  public static ProtoRequest malformed(InferenceException failure) {
    var request = new ProtoRequest();
    request.failure = failure;
    return request;
  }

  /** Stands for a message that is still to be parsed. Takes it. */
  public static ProtoRequest unread(UnreadMessage message) {
    var request = new ProtoRequest();
    request.unread = message;
    return request;
  }

  /** Whether the message is still to be parsed. */
  public boolean isUnread() {
    return unread != null;
  }

  /**
   * The message that is still to be parsed, owned by the caller.
   *
   * @throws IllegalStateException if this is a request
   */
  public UnreadMessage takeUnread() {
    UnreadMessage taken = unread;
    if (taken == null) {
      throw new IllegalStateException("not unread");
    }
    unread = null;
    return taken;
  }

  /** Whether the message is still to be parsed, and that takes long. */
  public boolean isLong() {
    return unread != null && unread.isLong();
  }

  /**
   * Checks that the message could be parsed.
   *
   * @throws InferenceException the failure of {@link #malformed}
   */
  public void requireParsed() {
    if (failure != null) {
      throw failure;
    }
  }

  public String modelName() {
    return modelName;
  }

  public String modelVersion() {
    return modelVersion;
  }

  public String id() {
    return id;
  }

  /** Whether the client of a stream wants an empty final response. */
  public boolean wantsEmptyFinalResponse() {
    InferParameter wanted = parameters.get(ProtoParameters.EMPTY_FINAL_RESPONSE);
    return wanted != null && wanted.getBoolParam();
  }

  /** Counts a parameter, of the request or of a tensor. */
  void countParameter(long byteSize) {
    parameterBytes += byteSize;
    if (parameterBytes > RequestLimits.MAX_PARAMETER_BYTES) {
      throw RequestLimits.tooMany("bytes of parameters", RequestLimits.MAX_PARAMETER_BYTES);
    }
  }

  /** Releases the tensors that the reader has not taken. */
  @Override
  public void close() {
    rawContents.forEach(Lease::close);
    rawContents = List.of();
    inputs.forEach(ProtoTensor::close);
    if (unread != null) {
      unread.close();
      unread = null;
    }
  }
}
