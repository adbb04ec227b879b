package io.nereid.server.grpc.connection;

import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * How much a client may send of a request before the server has looked at its head: as much as the
 * window of a stream has, but only {@link #SMALL} bytes while requests are refused by their heads,
 * so that those cost little. The client gets the rest of the window with the admission. For the
 * event loop of the connection.
 */
final class RequestWindow {
  /** Two frames of the usual size. */
  static final int SMALL = 32 << 10;

  private final Http2Calls http2;

  /** The window before the last reduction; 0 if there was none. */
  private int usual;

  private boolean reduced;

  /** Whether a request was refused since the last check. */
  private boolean refused;

  RequestWindow(Http2Calls http2) {
    this.http2 = http2;
  }

  private Http2LocalFlowController flow() {
    return http2.connection().local().flowController();
  }

  /** Tells that a request was refused by its head. */
  void refused() {
    refused = true;
    int window = flow().initialWindowSize();
    if (!reduced && window > Http2CodecUtil.DEFAULT_WINDOW_SIZE) { // else it is not known yet
      reduced = true;
      usual = window;
      set(SMALL);
    }
  }

  /** Lets the client send all of a request. */
  void admitted(Http2Stream stream) throws Http2Exception {
    int missing = usual == 0 ? 0 : usual - flow().initialWindowSize(stream);
    if (missing > 0) {
      flow().incrementWindowSize(stream, missing);
    }
  }

  /** Ends the reduction if no request was refused since the last check. */
  void check() {
    if (reduced && !refused) {
      reduced = false;
      set(usual);
    }
    refused = false;
  }

  /** Netty reckons with the new window once the client has acknowledged it. */
  private void set(int window) {
    var _ =
        http2
            .handler()
            .encoder()
            .writeSettings(
                http2.context(),
                new Http2Settings().initialWindowSize(window),
                http2.context().newPromise());
    var _ = http2.context().flush();
  }
}
