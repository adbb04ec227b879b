package io.nereid.server.http.text;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.text.TextBody;
import io.nereid.server.http.body.BodyDecoder;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import java.io.IOException;

/**
 * A reader of the bodies of text APIs, before their model is known.
 *
 * @param pool of the bodies
 * @param maxInputSize {@code --http-max-input-size}
 */
record TextBodies(BodyDecoder decoder, BufferPool pool, LongWork longWork, long maxInputSize) {
  /**
   * Reads and checks a whole body.
   *
   * @return owned by the caller
   */
  TextBody read(HttpRequest request, HttpResponse response) throws IOException {
    Lease body = decoder.readDocument(request, response, memory(request, pool));
    return longWork.call(request.client(), body.segment().byteSize(), () -> TextBody.parse(body));
  }

  /** What the client of a request may have of a pool. */
  LeaseSource memory(HttpRequest request, BufferPool from) {
    return decoder.memory(request, from);
  }
}
