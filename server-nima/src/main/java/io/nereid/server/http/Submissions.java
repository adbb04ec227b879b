package io.nereid.server.http;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.server.codec.LongWork;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * Submits requests that have come over HTTP. The elements of strings are checked one by one; where
 * they are many, no thread of a connection does that, of which as many run as there are processors.
 */
record Submissions(RequestAdmission engine, LongWork longWork) {
  /** Submits a request, before this method returns; takes it. */
  void submit(
      HttpRequest request,
      LoadedModel model,
      OptionalLong version,
      DecodedRequest decoded,
      ResponsePromise promise,
      RequestDeadline deadline)
      throws IOException {
    long stringBytes = stringBytes(decoded);
    if (stringBytes < LongWork.LEAST) {
      engine.submit(model, version, decoded, promise, deadline.leftNanos());
      return;
    }
    var _ =
        longWork.call(
            request.client(),
            stringBytes,
            () -> {
              engine.submit(model, version, decoded, promise, deadline.leftNanos());
              return decoded;
            });
  }

  private static long stringBytes(DecodedRequest decoded) {
    long bytes = 0;
    for (Tensor input : decoded.inputs()) {
      if (input.dataType() == DataType.BYTES) {
        bytes += input.byteSize();
      }
    }
    return bytes;
  }
}
