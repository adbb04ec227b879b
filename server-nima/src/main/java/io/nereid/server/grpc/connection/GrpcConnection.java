package io.nereid.server.grpc.connection;

import io.grpc.Attributes;
import io.grpc.Status;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.error.InferenceException;
import io.nereid.server.grpc.connection.TransportMemory.Reservation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.ssl.SslHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the listener: knows its client and its calls, and ends calls and itself. Its
 * event loop calls it, except where a method says otherwise.
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
  private final CallCount.OfClient clientCalls;
  private final ConnectionSettings settings;
  private final CallEnds ends;
  private final SocketProgress progress = new SocketProgress();
  private @Nullable Http2Calls http2;
  private @Nullable LargeRequests large;

  /** Of the newest call. */
  private @Nullable CallWatch newest;

  /** The calls of the event loop; null until the client has begun with HTTP/2. */
  private CallCount.@Nullable OfLoop calls;

  /** The client's calls of the event loop; null as long. */
  private CallCount.@Nullable Counter ownCalls;

  private boolean checking;
  private boolean stopping;

  /** Whether clients had time to learn that the server stops: what they send later is not read. */
  private boolean arrived;

  private long ahead;

  /** Calls whose message gRPC holds until their client has sent all. */
  private int heldMessages;

  /** Whether the frame that is read now is the last of its request. */
  private boolean receivingLast;

  /** Calls so far, and how many there were at the last look for idleness. */
  private long started;

  private long startedBefore;
  private boolean idleBefore;

  /** What all connections of a listener share. */
  record ConnectionSettings(
      GrpcLimits limits, Refusals<GrpcRefusal> refusals, TransportMemory memory, CallCount calls) {}

  GrpcConnection(
      Channel channel,
      ClientKey client,
      CallCount.OfClient clientCalls,
      ConnectionSettings settings) {
    this.clientCalls = clientCalls;
    this.channel = channel;
    this.client = client;
    this.settings = settings;
    ends =
        new CallEnds(
            this::end,
            task -> {
              // A task of execute would run in this turn.
              var _ = channel.eventLoop().schedule(task, 0, TimeUnit.NANOSECONDS);
            });
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
    Http2Calls open = Objects.requireNonNull(Http2Calls.of(channel));
    Http2ConnectionDecoder decoder = open.handler().decoder();
    decoder.frameListener(
        new FrameLimits(decoder.frameListener(), this, open.flow().initialWindowSize()));
    var _ = channel.pipeline().addBefore(open.context().name(), null, new RefusedStreams(open));
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls != null) {
      tls.setCumulator(TlsReads.INSTANCE);
      open.handler().setCumulator(TlsReads.INSTANCE);
      var divided = new DividedReads(this, /* decrypted= */ true);
      var _ = channel.pipeline().addAfter(channel.pipeline().context(tls).name(), null, divided);
    }
    http2 = open;
    large = new LargeRequests(open);
    CallCount.OfLoop loop = settings.calls.of(channel.eventLoop());
    calls = loop;
    ownCalls = clientCalls.of(loop);
    scheduleIdleCheck();
    if (stopping) {
      scheduleEndOfIncomplete();
    }
  }

  /** Tells that the newest stream is a call. */
  void started(CallWatch watch, boolean sendsOneMessage) {
    Http2Calls open = http2;
    Http2Stream stream = open == null ? null : open.newest();
    CallCount.OfLoop counted = calls;
    CallCount.Counter own = ownCalls;
    if (open == null || stream == null || counted == null || own == null) {
      return;
    }
    stream.setProperty(open.watches(), watch);
    newest = watch;
    watch.start(this, stream.id(), sendsOneMessage);
    counted.add(own);
    started++;
    if (!checking) {
      checking = true;
      scheduleCheck();
    }
    if (stopping) {
      scheduleEndOfIncomplete();
    }
  }

  /** The calls that have begun so far. */
  long startedCalls() {
    return started;
  }

  /** Bytes of messages that are counted and have not come. */
  long ahead() {
    return ahead;
  }

  void addAhead(long byteSize) {
    ahead += byteSize;
  }

  /**
   * Counts bytes that were read and wait.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED if there is no memory left now
   */
  Reservation hold(long byteSize) {
    return settings.memory.reserve(client, byteSize);
  }

  /** Why the newest call, one of this connection, is to be refused; null if it is not. */
  CallCount.@Nullable Excess excess() {
    return calls == null ? null : calls.excess(clientCalls);
  }

  /** Whether the calling thread is the event loop, and has no call but one of this connection. */
  boolean hasOnlyCall() {
    return channel.eventLoop().inEventLoop() && calls != null && calls.isOne();
  }

  /** Has the newest call ended once it has been idle for too long. */
  void tellIdle(BooleanSupplier isIdle) {
    if (newest != null) {
      newest.tellIdle(isIdle);
    }
  }

  /** Has the newest call told of the head of its message, if the message comes in parts. */
  void tellHead(MessageHead.Receiver receiver) {
    if (newest != null) {
      newest.tellHead(receiver);
    }
  }

  /** Whether data of a stream, not its last, is useless. */
  boolean drops(int streamId, ByteBuf data) throws Http2Exception {
    return large != null && large.drops(streamId, data);
  }

  /** Tells of data of a stream before it is read. */
  void dataComes(int streamId, boolean last) {
    receivingLast = last;
    Http2Calls open = http2;
    if (last && heldMessages > 0 && open != null) {
      Http2Stream stream = open.connection().stream(streamId);
      CallWatch watch = stream == null ? null : open.watch(stream);
      if (watch != null) {
        watch.lastComes();
      }
    }
  }

  boolean isReceivingLast() {
    return receivingLast;
  }

  void messageHeld() {
    heldMessages++;
  }

  void messageReleased() {
    heldMessages--;
  }

  /** Whether the call of a stream has ended, and the stream has not. */
  boolean hasEnded(int streamId) {
    return large != null && large.hasEnded(streamId);
  }

  /** Tells that a call has ended. */
  void closed(int streamId, boolean sendsOneMessage) {
    if (calls != null && ownCalls != null) {
      calls.remove(ownCalls);
    }
    if (large != null && sendsOneMessage) {
      large.ended(streamId);
    }
    if (stopping) {
      channel.eventLoop().execute(this::closeIfIdle);
    }
  }

  /** The most bytes of a message of a method that has large ones. */
  int maxRequestSize() {
    return settings.limits.maxRequestSize();
  }

  /**
   * Ends a call, because a message of it is too large.
   *
   * @param mayBeLarge whether the method has large messages
   */
  void endTooLarge(int streamId, boolean mayBeLarge) {
    endLater(
        streamId,
        GrpcRefusal.REQUEST_SIZE,
        mayBeLarge ? GrpcStatuses.tooLarge(settings.limits) : GrpcStatuses.tooLargeForMethod());
  }

  /** Acquires memory for a message that comes; if there is none, the call ends. */
  boolean acquire(int streamId, long byteSize) {
    try {
      settings.memory.acquire(client, byteSize);
      return true;
    } catch (InferenceException exhausted) {
      endLater(streamId, GrpcRefusal.MEMORY, GrpcStatuses.exhausted(exhausted));
      return false;
    }
  }

  /** Ends a call, but not while grpc-java reads of it. */
  private void endLater(int streamId, GrpcRefusal refusal, Status status) {
    if (ends.add(streamId, status)) {
      refuse(refusal);
    }
  }

  private void end(int streamId, Status status) {
    Http2Calls open = http2;
    if (open != null) {
      open.end(streamId, status);
    }
  }

  /** Releases what {@link #acquire} has acquired. Called by any thread. */
  void release(long byteSize) {
    settings.memory.release(client, byteSize);
  }

  /** Tells that the client has read of a stream. */
  void growSendWindow(int streamId, int byteSize) {
    Http2Calls open = http2;
    Http2Stream stream = open == null ? null : open.connection().stream(streamId);
    CallWatch watch = open == null || stream == null ? null : open.watch(stream);
    if (watch != null) {
      watch.growSendWindow(byteSize);
    }
  }

  /** Streams that are open. */
  int streams() {
    Http2Calls open = http2;
    return open == null ? 0 : open.connection().numActiveStreams();
  }

  /** Tells that the client has changed the window of all streams. */
  void growSendWindows(long byteSize) throws Http2Exception {
    Http2Calls open = http2;
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

  void refuse(GrpcRefusal refusal) {
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
    Http2Calls open = http2;
    if (open == null || !channel.isActive() || open.connection().numActiveStreams() == 0) {
      checking = false;
      return;
    }
    if (large != null) {
      large.check();
    }
    long now = System.nanoTime();
    if (progress.isStuck(open.context(), settings.limits, now)) {
      closeSlowReader(open);
      return;
    }
    for (Http2Stream stream : open.streams()) {
      CallWatch watch = open.watch(stream);
      if (watch == null || watch.isClosed()) {
        continue;
      }
      if (watch.isSlowRequest(stream, settings.limits, now)) {
        endLater(stream.id(), GrpcRefusal.SLOW_REQUEST, GrpcStatuses.slowRequest(settings.limits));
      } else if (isSlowReader(open, stream, watch, now)) {
        endSlowReader(open, stream);
      } else if (watch.isIdle(settings.limits, now)) {
        endLater(stream.id(), GrpcRefusal.IDLE_STREAM, GrpcStatuses.idle(settings.limits));
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
    Http2Calls open = http2;
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

  private boolean isSlowReader(Http2Calls open, Http2Stream stream, CallWatch watch, long now) {
    boolean waiting = open.flow().hasFlowControlled(stream);
    return watch.isSlowReader(waiting, open.flow().windowSize(stream), settings.limits, now);
  }

  private void endSlowReader(Http2Calls open, Http2Stream stream) {
    if (channel.isWritable()) {
      endLater(stream.id(), GrpcRefusal.SLOW_READER, GrpcStatuses.slowReader(settings.limits));
    } else {
      closeSlowReader(open);
    }
  }

  /** Closes the connection of a client that does not even read its socket. */
  private void closeSlowReader(Http2Calls open) {
    refuse(GrpcRefusal.SLOW_READER);
    closeNow(open);
  }

  /** Closes the connection if it has no call, and otherwise once it has none. */
  void stop() {
    stopping = true;
    scheduleEndOfIncomplete();
  }

  /** Gives the requests that are under way a little time, also those of calls that begin late. */
  private void scheduleEndOfIncomplete() {
    var _ =
        channel.eventLoop().schedule(this::endIncomplete, ARRIVAL.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void endIncomplete() {
    Http2Calls open = http2;
    if (open == null) {
      closeUnbegun();
      return;
    }
    arrived = true;
    for (Http2Stream stream : open.streams()) {
      CallWatch watch = open.watch(stream);
      if (watch == null || watch.isEndedByStop(stream)) {
        open.end(stream.id(), GrpcStatuses.stopping());
      }
    }
    closeIfIdle();
  }

  /** Closes a connection whose client has not begun with HTTP/2, without waiting for its answer. */
  private void closeUnbegun() {
    Http2Calls serverHalf = Http2Calls.of(channel);
    if (serverHalf == null) {
      var _ = channel.close(); // in the handshake of TLS
    } else {
      closeGracefully(serverHalf, STOPPING);
    }
  }

  private void closeIfIdle() {
    Http2Calls open = http2;
    if (open != null && arrived && open.calls().isEmpty()) {
      closeGracefully(open, STOPPING);
    }
  }

  /** Tells the client which calls were served, and closes once that is sent, or cannot be. */
  private void closeGracefully(Http2Calls open, String reason) {
    var _ =
        open.handler()
            .goAway(
                open.context(),
                open.connection().remote().lastStreamCreated(),
                Http2Error.NO_ERROR.code(),
                Unpooled.copiedBuffer(reason, StandardCharsets.US_ASCII),
                open.context().newPromise());
    var _ = open.context().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> endOutput(open));
    Runnable close = () -> closeNow(open);
    var _ = channel.eventLoop().schedule(close, LINGER.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Sends the end of the connection, and leaves the close to the client. If this side closed while
   * the client still sends, such as the answer to a ping, the client would see a reset, and might
   * never read its last responses.
   */
  private void endOutput(Http2Calls open) {
    if (channel instanceof DuplexChannel socket) {
      var _ = socket.shutdownOutput();
    } else {
      closeNow(open);
    }
  }

  /** Closes below grpc-java, which would send a ping and wait for its answer. */
  private static void closeNow(Http2Calls open) {
    var _ = open.context().close();
  }

  /** Ends all calls, and closes the connection once that is sent. Returns how many it has ended. */
  int endCalls() {
    Http2Calls open = http2;
    if (open == null) {
      closeUnbegun();
      return 0;
    }
    List<Http2Stream> calls = open.calls();
    calls.forEach(stream -> open.end(stream.id(), GrpcStatuses.expired()));
    closeGracefully(open, STOPPING);
    return calls.size();
  }
}
