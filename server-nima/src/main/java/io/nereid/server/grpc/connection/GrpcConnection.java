package io.nereid.server.grpc.connection;

import io.grpc.Attributes;
import io.grpc.Status;
import io.nereid.engine.memory.ClientCounts.Excess;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.RequestMemory.Reservation;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.error.InferenceException;
import io.nereid.server.grpc.limits.CallCount;
import io.nereid.server.grpc.limits.CallEnds;
import io.nereid.server.grpc.limits.FrameAllowance;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.grpc.limits.GrpcRefusal;
import io.nereid.server.grpc.limits.GrpcStatuses;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.ssl.SslHandler;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the listener: knows its client and its calls, and ends calls and itself. Its
 * event loop calls it, except where a method says otherwise.
 */
final class GrpcConnection {
  /** The connection of a call. */
  static final Attributes.Key<GrpcConnection> KEY = Attributes.Key.create("connection");

  private final Channel channel;
  private final ClientKey client;
  private final ConnectionSettings settings;
  private final CallEnds ends;
  private final ConnectionEnd end;
  private @Nullable Http2Calls http2;
  private @Nullable LargeRequests large;
  private @Nullable ClientChecks checks;

  /** Of the newest call. */
  private @Nullable CallWatch newest;

  /** Null until the client has begun with HTTP/2. */
  private CallCount.@Nullable OfConnection calls;

  private long ahead;

  /** Calls whose message gRPC holds until their client has sent all. */
  private int heldMessages;

  /** Whether the frame that is read now is the last of its request. */
  private boolean receivingLast;

  /** Calls so far. */
  private long started;

  private final FrameAllowance allowance = new FrameAllowance(System::nanoTime);

  private boolean flooded;

  /** What all connections of a listener share. */
  record ConnectionSettings(
      GrpcLimits limits, Refusals<GrpcRefusal> refusals, RequestMemory memory, CallCount calls) {}

  GrpcConnection(Channel channel, ClientKey client, ConnectionSettings settings) {
    this.channel = channel;
    this.client = client;
    this.settings = settings;
    end = new ConnectionEnd(channel);
    ends =
        new CallEnds(
            this::endCall,
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

  ConnectionUse use() {
    return use;
  }

  /** Whether the client has begun with HTTP/2. */
  boolean isReady() {
    return http2 != null;
  }

  /** Tells that the client has begun with HTTP/2. */
  void ready() {
    Http2Calls open = Objects.requireNonNull(Http2Calls.of(channel));
    Http2ConnectionDecoder decoder = open.handler().decoder();
    var largeRequests = new LargeRequests(open);
    decoder.frameListener(
        new FrameLimits(decoder.frameListener(), this, open, largeRequests, allowance));
    var sent = new SentFrames(open, allowance);
    var _ = channel.pipeline().addBefore(open.context().name(), null, sent);
    var frames = new Http2Settings().maxFrameSize(DividedReads.MAX_FRAME);
    var _ =
        open.handler().encoder().writeSettings(open.context(), frames, open.context().newPromise());
    if (channel.pipeline().get(SslHandler.class) != null) {
      open.handler().setCumulator(TlsReads.INSTANCE);
    }
    http2 = open;
    large = largeRequests;
    checks = new ClientChecks(this, channel, open, largeRequests, settings.limits.calls());
    calls = settings.calls.of(client, channel.eventLoop());
    end.ready(open);
  }

  /** Counts control frames that were read; too many of them end the connection. */
  void countControlFrames(int count) {
    allowance.spend(count);
    Http2Calls open = http2;
    if (allowance.isSpent() && !flooded && open != null) {
      open.handler().onError(open.context(), /* outbound= */ true, flooded());
    }
  }

  private final ConnectionUse use = new ConnectionUse();

  /** Whether the client has sent too many control frames: what it sends is not read any more. */
  boolean isFlooded() {
    return flooded;
  }

  /** Ends the connection of a client with too many control frames, and returns what tells it so. */
  Http2Exception flooded() {
    flooded = true;
    refuse(GrpcRefusal.CONTROL_FRAMES);
    end.closeLater(Objects.requireNonNull(http2));
    return Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, "too many control frames");
  }

  /** Tells that the newest stream is a call. */
  void started(CallWatch watch, boolean sendsOneMessage) {
    Http2Calls open = http2;
    Http2Stream stream = open == null ? null : open.newest();
    CallCount.OfConnection counted = calls;
    if (open == null || stream == null || counted == null) {
      return;
    }
    stream.setProperty(open.watches(), watch);
    newest = watch;
    watch.start(this, stream.id(), sendsOneMessage);
    counted.add();
    use.begin();
    started++;
    if (checks != null) {
      checks.begin();
    }
    end.started();
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
  @Nullable Excess excess() {
    return calls == null ? null : calls.excess();
  }

  /** Whether the calling thread is the event loop, and has no call but one of this connection. */
  boolean hasOnlyCall() {
    return channel.eventLoop().inEventLoop() && calls != null && calls.isOne();
  }

  /** What the newest call takes of this connection; null before the first call. */
  @Nullable CallWatch newest() {
    return newest;
  }

  /** Tells of data of a stream before it is read. */
  void dataComes(int streamId, boolean last) {
    receivingLast = last;
    CallWatch watch = last && heldMessages > 0 && http2 != null ? http2.watch(streamId) : null;
    if (watch != null) {
      watch.lastComes();
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

  /** Tells that a call has ended. */
  void closed(int streamId, boolean sendsOneMessage) {
    if (calls != null) {
      calls.remove();
      use.end();
    }
    if (large != null && sendsOneMessage) {
      large.ended(streamId);
    }
    end.ended();
  }

  /** The limit of calls in flight on all connections. */
  int maxRequests() {
    return settings.limits.calls().maxRequests();
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
  void endLater(int streamId, GrpcRefusal refusal, Status status) {
    if (ends.add(streamId, status)) {
      refuse(refusal);
    }
  }

  private void endCall(int streamId, Status status) {
    Http2Calls open = http2;
    if (open != null) {
      open.end(streamId, status);
    }
  }

  /** Releases what {@link #acquire} has acquired. Called by any thread. */
  void release(long byteSize) {
    settings.memory.release(client, byteSize);
  }

  /** The client and the server did not agree on TLS. */
  void handshakeFailed(Throwable failure) {
    settings.refusals.count(
        GrpcRefusal.HANDSHAKE_FAILED, client.text() + ": " + failure.getMessage());
  }

  void refuse(GrpcRefusal refusal) {
    settings.refusals.count(refusal, client.text());
  }

  /** Closes the connection if it has no call, and otherwise once it has none. */
  void stop(String reason) {
    end.stop(reason);
  }

  /** Ends all calls, and closes the connection once that is sent. Returns how many it has ended. */
  int endCalls() {
    return end.endCalls();
  }
}
