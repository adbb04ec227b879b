package io.nereid.server.http.connection;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.http.limits.Activity;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.message.BodyProgress;
import io.nereid.server.http.message.ConnectionInput;
import io.nereid.server.http.message.Framing;
import io.nereid.server.http.message.HeadLimits;
import io.nereid.server.http.message.HeadReader;
import io.nereid.server.http.message.InputOnly;
import io.nereid.server.http.message.RequestBody;
import io.nereid.server.http.message.RequestHead;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Requests as a handler gets them, without a connection. */
public final class ReceivedRequests {
  static final BodyProgress NO_PROGRESS =
      new BodyProgress() {
        @Override
        public void bodyIsWanted() {}

        @Override
        public void requestIsRead() {}
      };

  private ReceivedRequests() {}

  /**
   * Returns a request.
   *
   * @param head with its line ends, without the empty line
   * @param body its bytes; what a read of it returns is what a read of the connection returns
   */
  public static HttpRequest of(String head, InputStream body) throws IOException {
    byte[] bytes = (head + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    var stream = new SequenceInputStream(new ByteArrayInputStream(bytes), body);
    var input = new ConnectionInput(new StreamTransport(stream));
    RequestHead parsed = new HeadReader(HeadLimits.DEFAULT).read(input);
    return new HttpRequest(
        parsed,
        new RequestBody(Framing.body(parsed, input), NO_PROGRESS),
        input.ahead(),
        ClientKey.LOCAL);
  }

  /** Returns a response that is never sent. */
  public static HttpResponse response() {
    var connection =
        new Http1Connection(
            new StreamTransport(InputStream.nullInputStream()),
            new Activity(),
            new ConnectionAdmission(ClientKey.LOCAL, Optional.empty(), () -> {}),
            HeadLimits.DEFAULT,
            (_, _) -> {},
            new OpenConnections(
                new DisconnectMonitor(),
                ConnectionLimits.DEFAULT,
                new Refusals<>(HttpRefusal.class, "HTTP", System::nanoTime)));
    return new HttpResponse(connection, true, false);
  }

  /** A transport whose input is a stream; a read of it is a read of the connection. */
  record StreamTransport(InputStream stream) implements InputOnly {
    @Override
    public int read(ByteBuffer target) throws IOException {
      if (target.hasArray()) { // without a copy, which fuzz targets would count
        int from = target.arrayOffset() + target.position();
        int read = stream.read(target.array(), from, target.remaining());
        target.position(target.position() + Math.max(read, 0));
        return read;
      }
      byte[] bytes = new byte[target.remaining()];
      int count = stream.read(bytes);
      target.put(bytes, 0, Math.max(count, 0));
      return count;
    }
  }
}
