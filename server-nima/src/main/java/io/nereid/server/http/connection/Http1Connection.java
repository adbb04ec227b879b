package io.nereid.server.http.connection;

import io.helidon.common.concurrency.limits.Limit;
import io.helidon.webserver.spi.ServerConnection;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.JsonResponseWriter;
import io.nereid.server.http.limits.Activity;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.message.BadRequestException;
import io.nereid.server.http.message.BodyProgress;
import io.nereid.server.http.message.BodyReader;
import io.nereid.server.http.message.ConnectionInput;
import io.nereid.server.http.message.Framing;
import io.nereid.server.http.message.HeadLimits;
import io.nereid.server.http.message.HeadReader;
import io.nereid.server.http.message.RequestBody;
import io.nereid.server.http.message.RequestHead;
import io.nereid.server.http.message.Transport;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * One connection: requests one after another, each with its response. Its virtual thread runs
 * {@link #handle}; other threads only end it, by its {@link ConnectionState}.
 */
final class Http1Connection implements ServerConnection, BodyProgress {
  private static final System.Logger LOG = System.getLogger(Http1Connection.class.getName());
  private static final byte[] CONTINUE =
      "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /** In seconds. */
  private static final long RETRY_AFTER = InferenceException.SOON.toSeconds();

  /** How long a client may take to read its last response and close. */
  private static final Duration LINGER = Duration.ofSeconds(1);

  /** The largest rest of a body that is read and discarded to keep a connection. */
  private static final int MAX_DISCARDED = 64 << 10;

  /** So many requests of a client that sends them ahead are served before others have a turn. */
  private static final int TURN = 4;

  private final Transport transport;
  private final ConnectionInput input;
  private final HeadReader heads;
  private final HttpHandler handler;
  private final OpenConnections open;
  private final Activity activity;
  private final ConnectionState state;
  private final ResponseBuffers buffers = new ResponseBuffers();

  /** Whether the connection is kept behind the next response. */
  private boolean isKept;

  /** Whether a part of the response may have been written. */
  private boolean hasWritten;

  /** The number of requests that had come before the response to the one before. */
  private int pipelined;

  private BodyReader body = Framing.NO_BODY;

  /** Whether {@link Turn} counts the body as one that is being read. */
  private boolean isBodyCounted;

  /** Whether the client waits for {@code 100 Continue}. */
  private boolean expectsContinue;

  Http1Connection(
      Transport transport,
      Activity activity,
      ConnectionAdmission admission,
      HeadLimits limits,
      HttpHandler handler,
      OpenConnections open) {
    this.transport = transport;
    this.activity = activity;
    this.input = new ConnectionInput(transport);
    this.state = new ConnectionState(admission, transport, input.ahead(), activity);
    this.heads = new HeadReader(limits);
    this.handler = handler;
    this.open = open;
  }

  @Override
  public void handle(Limit limit) {
    try {
      Optional<HttpRefusal> refusal = state.admission().refusal();
      if (refusal.isPresent() || open.isRefusing()) {
        refuseConnection(refusal);
        return;
      }
      open.add(state);
      boolean isNext = true;
      while (isNext) {
        isNext = serve();
        if (input.buffered() > 0 && ++pipelined % TURN == 0) {
          Turn.pass();
        }
      }
      activity.begin(Activity.Kind.WRITING); // TLS tells the client, which may not read that
      transport.finish();
    } catch (SSLHandshakeException failed) {
      if (!(failed.getCause() instanceof EOFException)) { // a scan, or a check that is a connect
        open.handshakeFailed(state, failed);
      }
    } catch (IOException gone) {
      LOG.log(System.Logger.Level.DEBUG, "a connection has failed", gone);
    } catch (RuntimeException | Error bug) { // no memory for a response, perhaps
      var _ = UnexpectedFailures.of(LOG, "a connection", bug);
      state.abort();
    } finally {
      open.remove(state);
    }
  }

  /**
   * Responds to a connection above a limit, or to one that comes while the server stops, before its
   * first request is read.
   */
  private void refuseConnection(Optional<HttpRefusal> refusal) throws IOException {
    if (!transport.isEstablished()) {
      transport.reset();
      return;
    }
    var response = new HttpResponse(this, true, false).retryAfter(RETRY_AFTER);
    if (refusal.isEmpty()) {
      refuse(503, ConnectionState.STOPPING, response);
    } else if (refusal.get() == HttpRefusal.CLIENT_CONNECTIONS) {
      refuse(429, "the client has too many connections", response);
    } else {
      refuse(503, ConnectionState.FULL, response);
    }
    transport.linger(LINGER);
  }

  /** Reads a request and responds; returns whether the connection is kept. */
  private boolean serve() throws IOException {
    if (input.buffered() == 0 && !input.fill()) {
      return false;
    }
    activity.begin(Activity.Kind.HEAD);
    if (!state.beginRequest()) {
      return false;
    }
    isKept = true;
    hasWritten = false;
    body = Framing.NO_BODY;
    expectsContinue = false;
    var response = new HttpResponse(this, true, false);
    HttpRequest request = null;
    try {
      RequestHead head = heads.read(input);
      response = new HttpResponse(this, !head.method().equals("HEAD"), head.isHttp10());
      isKept = Framing.isKeptAlive(head);
      boolean expects = Framing.expectsContinue(head);
      body = Framing.body(head, input);
      expectsContinue = expects && !body.isRead();
      request = new HttpRequest(head, new RequestBody(body, this), input.ahead(), state.client());
      if (body.isRead()) {
        requestIsRead();
      } else {
        activity.begin(Activity.Kind.BODY);
        isBodyCounted = Turn.beginBody(body.left());
      }
      handler.handle(request, response);
    } catch (BadRequestException bad) {
      refuse(bad.status(), bad.getMessage(), response);
    } catch (EOFException early) {
      if (state.isEnded()) {
        BadRequestException ended = state.endedByServer();
        refuse(ended.status(), ended.getMessage(), response);
      } else {
        refuse(400, early.getMessage(), response);
      }
    } catch (RuntimeException | Error bug) {
      response = failed(bug, response);
    } finally {
      endBody();
      ended(request, response);
    }
    return finish();
  }

  private void endBody() {
    if (isBodyCounted) {
      isBodyCounted = false;
      Turn.endBody();
    }
  }

  private void ended(@Nullable HttpRequest request, HttpResponse response) {
    try {
      handler.ended(state.client(), request, response);
    } catch (RuntimeException | Error bug) { // the response was sent
      var _ = UnexpectedFailures.of(LOG, "the end of a request", bug);
    }
  }

  /**
   * Responds to a request whose handler has failed, or resets the connection if its response was
   * begun: the client would take a part of it for the whole.
   */
  private HttpResponse failed(Throwable bug, HttpResponse begun) throws IOException {
    InferenceException failure = UnexpectedFailures.of(LOG, "a request", bug);
    if (hasWritten) {
      transport.reset();
      throw new IOException("a response was cut off", bug);
    }
    HttpResponse response = begun.anew();
    if (failure.retryAfter().isPresent()) {
      refuse(503, failure.getMessage(), response.retryAfter(RETRY_AFTER));
    } else {
      refuse(500, failure.getMessage(), response);
    }
    return response;
  }

  /** Responds to a request that ends its connection. */
  private void refuse(int status, @Nullable String message, HttpResponse response)
      throws IOException {
    isKept = false;
    if (!response.isSent()) {
      response
          .status(status)
          .error(message)
          .header("Content-Type", "application/json")
          .send(JsonResponseWriter.error(message == null ? "malformed request" : message));
    }
  }

  /** Makes the connection ready for the next request; returns whether it is kept. */
  private boolean finish() throws IOException {
    if (isKept) {
      activity.begin(Activity.Kind.BODY);
      ByteBuffer discarded = ByteBuffer.allocate(body.isRead() ? 0 : MAX_DISCARDED);
      while (!body.isRead() && discarded.hasRemaining()) {
        body.read(discarded);
      }
    }
    if (!isKept || !body.isRead()) {
      activity.begin(Activity.Kind.WRITING); // as at the end of the connection
      transport.linger(LINGER);
      return false;
    }
    buffers.clear(); // an idle connection keeps no large ones
    activity.begin(Activity.Kind.IDLE);
    return state.endRequest();
  }

  /** Sends {@code 100 Continue} if the client waits for it. */
  @Override
  public void bodyIsWanted() throws IOException {
    if (expectsContinue) {
      expectsContinue = false;
      if (input.buffered() == 0) {
        transport.write(ByteBuffer.wrap(CONTINUE));
      }
    }
  }

  /** From now on a stop of the server waits for the response. */
  @Override
  public void requestIsRead() throws BadRequestException {
    endBody();
    if (!state.requestIsRead()) {
      throw state.endedByServer();
    }
    activity.begin(Activity.Kind.RESPONSE);
  }

  /** The buffers of the response that is next; an {@link HttpResponse} empties them. */
  ResponseBuffers buffers() {
    return buffers;
  }

  void closeAfterResponse() {
    isKept = false;
  }

  /** Decides for the response that is next, and returns, whether the connection is kept. */
  boolean decideKept() {
    isKept &=
        !open.isStopping() && !state.isOld() && !expectsContinue && body.left() <= MAX_DISCARDED;
    return isKept;
  }

  void write(ByteBuffer... parts) throws IOException {
    hasWritten = true;
    writeResponse(parts);
  }

  /** Writes an interim response, which each client of HTTP/1.1 ignores (RFC 9110, 15.2). */
  void writeInterim() throws IOException {
    writeResponse(ByteBuffer.wrap(CONTINUE));
  }

  private void writeResponse(ByteBuffer... parts) throws IOException {
    activity.begin(Activity.Kind.WRITING);
    transport.write(parts);
    activity.begin(Activity.Kind.RESPONSE);
  }

  /** Not known to Helidon: {@link OpenConnections} watches connections. */
  @Override
  public Duration idleTime() {
    return Duration.ZERO;
  }

  @Override
  public void close(boolean interrupt) {
    if (interrupt) {
      state.abort();
    } else {
      state.endUnlessResponding();
    }
  }
}
