package io.nereid.server.codec.protobuf;

import io.nereid.error.InferenceException;
import io.nereid.server.memory.Lease;
import io.nereid.server.protobuf.InferParameter;
import io.nereid.server.protobuf.ModelInferRequest.InferInputTensor;
import io.nereid.server.protobuf.ModelInferRequest.InferRequestedOutputTensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@code ModelInferRequest} as parsed, before its content is checked; or the failure to parse
 * one. Owns the pooled memory of its raw tensors until {@link ProtoRequestReader} takes it.
 */
public final class ProtoRequest implements AutoCloseable {
  String modelName = "";
  String modelVersion = "";
  String id = "";
  final Map<String, InferParameter> parameters = new LinkedHashMap<>(0);
  final List<InferInputTensor> inputs = new ArrayList<>(2);
  final List<InferRequestedOutputTensor> outputs = new ArrayList<>(2);
  List<Lease> rawContents = new ArrayList<>(2);
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

  /** The message that is still to be parsed, owned by the caller; null if this is a request. */
  public @Nullable UnreadMessage takeUnread() {
    UnreadMessage taken = unread;
    unread = null;
    return taken;
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

  /** Releases the raw tensors that the reader has not taken. */
  @Override
  public void close() {
    rawContents.forEach(Lease::close);
    rawContents = List.of();
    if (unread != null) {
      unread.close();
      unread = null;
    }
  }
}
