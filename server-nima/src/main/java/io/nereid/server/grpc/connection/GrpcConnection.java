package io.nereid.server.grpc.connection;

import io.grpc.Attributes;
import io.grpc.Status;
import io.nereid.error.InferenceException;
import io.nereid.server.memory.ClientKey;
import io.nereid.server.telemetry.refusal.Refusals;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the listener: knows its client and its calls, and ends calls and itself. Its
 * event loop calls it, except where a method says otherwise.
 *
 * <p>It works beside grpc-java, on the connection's HTTP/2: a call that it ends gets its status
 * past the flow control, since a client that does not read would not get it otherwise. To grpc-java
 * that is a stream error, which cancels the call.
 */
final class GrpcConnection {
  /** The connection of a call. */
  static final Attributes.Key<GrpcConnection> KEY = Attributes.Key.create("connection");

  /** How long a request whose bytes are under way may take to arrive once the server stops. */
  private static final Duration ARRIVAL = Duration.ofMillis(100);

  /** How long a client has to close its side of a connection. */
  private static final Duration LINGER = Duration.ofMillis(400);

  private static final String STOPPING = "the server stops";

  private final Channel channel;
  private final ClientKey client;
  private final ConnectionSettings settings;
  private @Nullable Http2 http2;
  private boolean checking;
  private boolean stopping;

  /** Whether clients had time to learn that the server stops: what they send later is not read. */
  private boolean arrived;

  /** Calls so far, and how many there were at the last look for idleness. */
  private long started;

  private long startedBefore;
  private boolean idleBefore;

  /** What all connections of a listener share. */
  record ConnectionSettings(
      GrpcLimits limits, Refusals<Refusal> refusals, TransportMemory memory, CallCount calls) {}

  /**
   * The HTTP/2 of a connection.
   *
   * @param context of {@code handler}: what is written to it goes to the socket
   * @param watches where a stream has its {@link CallWatch}
   */
  private record Http2(
      Http2ConnectionHandler handler,
      ChannelHandlerContext context,
      Http2Connection.PropertyKey watches) {
    Http2Connection connection() {
      return handler.connection();
    }

    @Nullable CallWatch watch(Http2Stream stream) {
      return stream.getProperty(watches);
    }

    Http2RemoteFlowController flow() {
      return connection().remote().flowController();
    }
  }

  GrpcConnection(Channel channel, ClientKey client, ConnectionSettings settings) {
    this.channel = channel;
    this.client = client;
    this.settings = settings;
  }

  /** Has the event loop run a task. Called by any thread. */
  void execute(Runnable task) {
    channel.eventLoop().execute(task);
  }

  ClientKey client() {
    return client;
  }

  /** Whether the client has begun with HTTP/2. */
  boolean isReady() {
    return http2 != null;
  }

  /** Tells that the client has begun with HTTP/2. */
  void ready() {
    ChannelHandlerContext context = channel.pipeline().context(Http2ConnectionHandler.class);
    var handler = (Http2ConnectionHandler) context.handler();
    var opened = new Http2(handler, context, handler.connection().newKey());
    handler
        .decoder()
        .frameListener(
            new FrameLimits(
                handler.decoder().frameListener(), this, opened.flow().initialWindowSize()));
    http2 = opened;
    scheduleIdleCheck();
    if (stopping) {
      scheduleEndOfIncomplete();
    }
  }

  /** Tells that the newest stream is a call. */
  void started(CallWatch watch, boolean sendsOneMessage) {
    Http2 open = http2;
    if (open == null) {
      return;
    }
    Http2Stream stream = open.connection().stream(open.connection().remote().lastStreamCreated());
    if (stream == null) {
      return;
    }
    stream.setProperty(open.watches, watch);
    watch.start(this, stream.id(), sendsOneMessage);
    settings.calls.add();
    started++;
    if (!checking) {
      checking = true;
      scheduleCheck();
    }
    if (stopping) {
      scheduleEndOfIncomplete();
    }
  }

  /** Tells that a call has ended. */
  void closed() {
    settings.calls.remove();
    if (stopping) {
      channel.eventLoop().execute(this::closeIfIdle);
    }
  }

  /**
   * Acquires memory for a message that comes; if there is none, or the message is too large, the
   * call ends.
   *
   * @param receivedBytes of the message
   * @param byteSize to acquire
   */
  boolean acquire(int streamId, long receivedBytes, long byteSize) {
    if (receivedBytes > settings.limits.maxRequestSize()) {
      endLater(streamId, Refusal.REQUEST_SIZE, GrpcStatuses.tooLarge(settings.limits));
      return false;
    }
    try {
      settings.memory.acquire(client, byteSize);
      return true;
    } catch (InferenceException exhausted) {
      endLater(streamId, Refusal.MEMORY, GrpcStatuses.exhausted(exhausted));
      return false;
    }
  }

  /** Ends a call, but not while grpc-java reads of it. */
  private void endLater(int streamId, Refusal refusal, Status status) {
    refuse(refusal);
    channel.eventLoop().execute(() -> end(streamId, status));
  }

  /** Releases what {@link #acquire} has acquired. Called by any thread. */
  void release(long byteSize) {
    settings.memory.release(client, byteSize);
  }

  /** Tells that the client has read of a stream. */
  void growSendWindow(int streamId, int byteSize) {
    Http2 open = http2;
    Http2Stream stream = open == null ? null : open.connection().stream(streamId);
    CallWatch watch = open == null || stream == null ? null : open.watch(stream);
    if (watch != null) {
      watch.growSendWindow(byteSize);
    }
  }

  /** Tells that the client has changed the window of all streams. */
  void growSendWindows(long byteSize) throws Http2Exception {
    Http2 open = http2;
    if (open != null) {
      open.connection()
          .forEachActiveStream(stream -> {
            CallWatch watch = open.watch(stream);
            if (watch != null) {
              watch.growSendWindow(byteSize);
            }
            return true;
          });
    }
  }

  void refuse(Refusal refusal) {
    settings.refusals.count(refusal, client.text());
  }

  private void scheduleCheck() {
    var _ =
        channel
            .eventLoop()
            .schedule(this::check, settings.limits.checkNanos(), TimeUnit.NANOSECONDS);
  }

  /** Ends the calls whose client is too slow. */
  private void check() {
    Http2 open = http2;
    if (open == null || !channel.isActive() || open.connection().numActiveStreams() == 0) {
      checking = false;
      return;
    }
    long now = System.nanoTime();
    for (Http2Stream stream : streams(open)) {
      CallWatch watch = open.watch(stream);
      if (watch == null) {
        continue;
      }
      if (watch.isSlowRequest(stream, settings.limits, now)) {
        refuse(Refusal.SLOW_REQUEST);
        end(stream.id(), GrpcStatuses.slowRequest(settings.limits));
      } else if (isSlowReader(open, stream, watch, now)) {
        refuse(Refusal.SLOW_READER);
        endSlowReader(open, stream);
      }
    }
    scheduleCheck();
  }

  private void scheduleIdleCheck() {
    long interval = settings.limits.idleTimeout().toNanos() / 2;
    var _ = channel.eventLoop().schedule(this::checkIdle, interval, TimeUnit.NANOSECONDS);
  }

  /** Closes the connection if it has had no call for two intervals of this check. */
  private void checkIdle() {
    Http2 open = http2;
    if (open == null || !channel.isActive()) {
      return;
    }
    boolean idle = started == startedBefore && open.connection().numActiveStreams() == 0;
    if (idle && idleBefore) {
      closeGracefully(open, "idle");
      return;
    }
    idleBefore = idle;
    startedBefore = started;
    scheduleIdleCheck();
  }

  private boolean isSlowReader(Http2 open, Http2Stream stream, CallWatch watch, long now) {
    boolean waiting = open.flow().hasFlowControlled(stream);
    return watch.isSlowReader(waiting, open.flow().windowSize(stream), settings.limits, now);
  }

  private void endSlowReader(Http2 open, Http2Stream stream) {
    if (channel.isWritable()) {
      end(stream.id(), GrpcStatuses.slowReader(settings.limits));
    } else {
      closeNow(open); // the client does not even read its socket
    }
  }

  private static List<Http2Stream> streams(Http2 open) {
    List<Http2Stream> streams = new ArrayList<>(open.connection().numActiveStreams());
    try {
      open.connection().forEachActiveStream(streams::add);
    } catch (Http2Exception impossible) {
      throw new AssertionError("a list takes every stream", impossible);
    }
    return streams;
  }

  /** Ends a call with a status, whatever waits to be sent, and cancels it. */
  private void end(int streamId, Status status) {
    Http2 open = http2;
    Http2Stream stream = open == null ? null : open.connection().stream(streamId);
    if (open == null || stream == null) {
      return;
    }
    if (stream.state().localSideOpen()) {
      writeStatus(open, stream, status);
    }
    open.handler.onError(
        open.context,
        true,
        Http2Exception.streamError(streamId, Http2Error.NO_ERROR, "ended by the server"));
    stream.close(); // frees what waits to be sent, without waiting for the reset to be sent
  }

  /** Writes a status past the flow control. */
  private static void writeStatus(Http2 open, Http2Stream stream, Status status) {
    var _ =
        open.handler
            .encoder()
            .frameWriter()
            .writeHeaders(
                open.context,
                stream.id(),
                GrpcStatuses.headers(status, stream.isHeadersSent()),
                0,
                true,
                open.context.newPromise());
    var _ = open.context.flush();
  }

  /** Closes the connection if it has no call, and otherwise once it has none. */
  void stop() {
    stopping = true;
    if (http2 == null) {
      var _ = channel.close(); // takes its time if the client begins just now
      return;
    }
    scheduleEndOfIncomplete();
  }

  /** Gives the requests that are under way a little time, also those of calls that begin late. */
  private void scheduleEndOfIncomplete() {
    var _ =
        channel.eventLoop().schedule(this::endIncomplete, ARRIVAL.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void endIncomplete() {
    Http2 open = http2;
    if (open == null) {
      return;
    }
    arrived = true;
    for (Http2Stream stream : streams(open)) {
      CallWatch watch = open.watch(stream);
      if (watch == null || watch.isEndedByStop(stream)) {
        end(stream.id(), GrpcStatuses.stopping());
      }
    }
    closeIfIdle();
  }

  private void closeIfIdle() {
    Http2 open = http2;
    if (open != null && arrived && calls(open).isEmpty()) {
      closeGracefully(open, STOPPING);
    }
  }

  /** The streams whose calls have not ended; a client may leave its side of others open. */
  private static List<Http2Stream> calls(Http2 open) {
    List<Http2Stream> streams = streams(open);
    streams.removeIf(stream -> {
      CallWatch watch = open.watch(stream);
      return watch == null || watch.isClosed();
    });
    return streams;
  }

  /** Tells the client which calls were served, and closes once that is sent, or cannot be. */
  private void closeGracefully(Http2 open, String reason) {
    var _ =
        open.handler.goAway(
            open.context,
            open.connection().remote().lastStreamCreated(),
            Http2Error.NO_ERROR.code(),
            Unpooled.copiedBuffer(reason, StandardCharsets.US_ASCII),
            open.context.newPromise());
    var _ = open.context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> endOutput(open));
    Runnable close = () -> closeNow(open);
    var _ = channel.eventLoop().schedule(close, LINGER.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Sends the end of the connection, and leaves the close to the client. If this side closed while
   * the client still sends, such as the answer to a ping, the client would see a reset, and might
   * never read its last responses.
   */
  private void endOutput(Http2 open) {
    if (channel instanceof DuplexChannel socket) {
      var _ = socket.shutdownOutput();
    } else {
      closeNow(open);
    }
  }

  /** Closes below grpc-java, which would send a ping and wait for its answer. */
  private static void closeNow(Http2 open) {
    var _ = open.context.close();
  }

  /** Ends all calls, and closes the connection once that is sent. Returns how many it has ended. */
  int endCalls() {
    Http2 open = http2;
    if (open == null) {
      var _ = channel.close();
      return 0;
    }
    List<Http2Stream> calls = calls(open);
    calls.forEach(stream -> end(stream.id(), GrpcStatuses.expired()));
    closeGracefully(open, STOPPING);
    return calls.size();
  }
}
