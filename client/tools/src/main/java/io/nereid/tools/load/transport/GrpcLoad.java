package io.nereid.tools.load.transport;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.nereid.tools.load.arrival.ArrivalQueue;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Unary gRPC calls over a few channels. To cost little CPU time, all channels and calls share one
 * event loop, requests are encoded once, and responses are not decoded.
 */
public final class GrpcLoad implements Load {
  private static final MethodDescriptor<byte[], Integer> INFER =
      EncodedMethod.of("ModelInfer", MethodDescriptor.MethodType.UNARY);

  /** Larger than most responses, so that flow control never delays one. */
  private static final int WINDOW_BYTES = 4 << 20;

  private static final int MAX_RESPONSE_BYTES = 64 << 20;
  private static final long CHECK_MILLIS = 20;

  /** A server that has been unavailable to all calls for as long has ended. */
  private static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final List<byte[]> requests;
  private final Metadata headers;
  private final int inFlight;
  private final long callNanos;
  private final ArrivalQueue arrivals;
  private final Outcomes outcomes;
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = group.next();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile long deadlineNanos = Long.MAX_VALUE;
  private volatile @Nullable String failure;

  /** Whether a task of {@link #wake} waits: one is enough for all requests that are due. */
  private final AtomicBoolean woken = new AtomicBoolean();

  // Accessed by the event loop only.
  private final int[] inFlightByChannel;
  private int inFlightTotal;
  private int next;
  private boolean over;
  private long availableNanos;

  /**
   * @param url host and port of the server; the first calls connect to it
   * @param tls empty for plain text
   * @param headers of each call; not changed
   * @param requests encoded {@code ModelInferRequest}s; sent in turn
   * @param callNanos the deadline of a call after it was due; 0 for none
   */
  public GrpcLoad(
      URI url,
      List<byte[]> requests,
      int inFlight,
      int channelCount,
      long callNanos,
      Optional<SslContext> tls,
      Metadata headers,
      ArrivalQueue arrivals,
      Outcomes outcomes) {
    this.requests = List.copyOf(requests);
    this.headers = headers;
    this.inFlight = inFlight;
    this.callNanos = callNanos;
    this.arrivals = arrivals;
    this.outcomes = outcomes;
    inFlightByChannel = new int[channelCount];
    for (int i = 0; i < channelCount; i++) {
      var channel = NettyChannelBuilder.forAddress(url.getHost(), url.getPort());
      tls.ifPresentOrElse(channel::sslContext, channel::usePlaintext);
      channels.add(
          channel
              .directExecutor()
              .eventLoopGroup(group)
              .channelType(NioSocketChannel.class)
              .flowControlWindow(WINDOW_BYTES)
              .maxInboundMessageSize(MAX_RESPONSE_BYTES)
              .decompressorRegistry(
                  DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, false))
              .build());
    }
  }

  @Override
  public void start() {
    loop.execute(() -> {
      availableNanos = System.nanoTime();
      sendDueRequests();
      checkEnd();
    });
  }

  @Override
  public void wake() {
    if (woken.compareAndSet(false, true)) {
      loop.execute(() -> {
        woken.set(false);
        sendDueRequests();
      });
    }
  }

  @Override
  public void awaitUntil(long nanoTime) throws InterruptedException {
    if (ended.await(nanoTime - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      throw failed();
    }
  }

  private IllegalStateException failed() {
    return new IllegalStateException("the load failed: " + failure);
  }

  @Override
  public void finish(long deadlineNanos) throws InterruptedException, TimeoutException {
    this.deadlineNanos = deadlineNanos;
    long left = deadlineNanos - System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    if (!ended.await(left, TimeUnit.NANOSECONDS)) {
      throw new TimeoutException("the gRPC load does not end");
    }
    if (failure != null) {
      throw failed();
    }
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** Ends the run if every call has its response or the deadline has passed. */
  private void checkEnd() {
    if (over) {
      return;
    }
    boolean complete = arrivals.ended() && inFlightTotal == 0 && arrivals.waiting() == 0;
    if (!complete && (deadlineNanos == Long.MAX_VALUE || System.nanoTime() - deadlineNanos < 0)) {
      var _ = loop.schedule(this::checkEnd, CHECK_MILLIS, TimeUnit.MILLISECONDS);
      return;
    }
    over = true;
    for (int i = inFlightTotal + arrivals.waiting(); i > 0; i--) {
      outcomes.failed(deadlineNanos, "no response, or not sent, within 5 s after the measurement");
    }
    ended.countDown();
  }

  private void sendDueRequests() {
    while (inFlightTotal < inFlight && !over) {
      long due = arrivals.take(System.nanoTime());
      if (due == ArrivalQueue.NONE) {
        return;
      }
      int channel = 0;
      for (int i = 1; i < inFlightByChannel.length; i++) {
        if (inFlightByChannel[i] < inFlightByChannel[channel]) {
          channel = i;
        }
      }
      send(channel, due);
    }
  }

  private void send(int channel, long due) {
    inFlightByChannel[channel]++;
    inFlightTotal++;
    var call = channels.get(channel).newCall(INFER, options(due));
    var metadata = new Metadata(); // which a call changes
    metadata.merge(headers);
    call.start(new CallListener(channel, due), metadata);
    // Two messages, so that a second one, an error in a unary call, is received too.
    call.request(2);
    call.sendMessage(requests.get(next));
    next = (next + 1) % requests.size();
    call.halfClose();
  }

  /** Retries later: without a connection, retrying at once would be a busy loop. */
  private void unavailable(Status status) {
    if (System.nanoTime() - availableNanos < GONE_NANOS) {
      var _ = loop.schedule(this::sendDueRequests, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      failure = describe(status);
      over = true;
      ended.countDown();
    }
  }

  private static String describe(Status status) {
    return "gRPC status %s: %s".formatted(status.getCode(), status.getDescription());
  }

  private CallOptions options(long due) {
    return callNanos == 0
        ? CallOptions.DEFAULT
        : CallOptions.DEFAULT.withDeadlineAfter(
            due + callNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  /** The listener of one call: records the response and sends the next request. */
  private final class CallListener extends ClientCall.Listener<Integer> {
    private final int channel;
    private final long due;
    private int length = -1;

    CallListener(int channel, long due) {
      this.channel = channel;
      this.due = due;
    }

    @Override
    public void onMessage(Integer message) {
      length = message;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (loop.inEventLoop()) {
        closed(status);
      } else {
        // A channel that cannot connect calls back from another thread.
        loop.execute(() -> closed(status));
      }
    }

    private void closed(Status status) {
      if (over) {
        return;
      }
      inFlightByChannel[channel]--;
      inFlightTotal--;
      if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
        outcomes.refused(due);
      } else if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
        outcomes.late(due);
      } else if (!status.isOk()) {
        outcomes.failed(due, describe(status));
      } else if (length < 0) {
        outcomes.failed(due, "gRPC status OK without a message");
      } else {
        outcomes.succeeded(due, System.nanoTime(), length, length);
      }
      if (status.getCode() == Status.Code.UNAVAILABLE) {
        unavailable(status);
      } else {
        availableNanos = System.nanoTime();
        sendDueRequests();
      }
    }
  }
}
