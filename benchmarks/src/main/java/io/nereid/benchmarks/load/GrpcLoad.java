package io.nereid.benchmarks.load;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Unary gRPC calls over a few channels. All channels share one event loop, calls run on it without
 * another executor, and messages stay bytes: the request is encoded once, of an answer only the
 * length is looked at.
 */
final class GrpcLoad implements Load {
  private static final MethodDescriptor<byte[], Integer> MODEL_INFER =
      MethodDescriptor.<byte[], Integer>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("inference.GRPCInferenceService/ModelInfer")
          .setRequestMarshaller(new RequestBytes())
          .setResponseMarshaller(new AnswerLength())
          .build();

  /** Larger than any answer of the presets, so that no window is ever waited for. */
  private static final int WINDOW_BYTES = 4 << 20;

  private static final int MAX_ANSWER_BYTES = 64 << 20;
  private static final long LOOK_UP_MILLIS = 20;

  private final byte[] request;
  private final int inFlight;
  private final Arrivals arrivals;
  private final Tally tally;
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = group.next();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile long deadlineNanos = Long.MAX_VALUE;

  // Touched by the event loop only.
  private final int[] unanswered;
  private int unansweredInAll;
  private boolean over;

  /**
   * @param url its host and port are used; the connections are made by the first calls
   * @param request a {@code ModelInferRequest}
   */
  GrpcLoad(
      URI url, byte[] request, int inFlight, int channelCount, Arrivals arrivals, Tally tally) {
    this.request = request;
    this.inFlight = inFlight;
    this.arrivals = arrivals;
    this.tally = tally;
    unanswered = new int[channelCount];
    for (int i = 0; i < channelCount; i++) {
      channels.add(
          NettyChannelBuilder.forAddress(url.getHost(), url.getPort())
              .usePlaintext()
              .directExecutor()
              .eventLoopGroup(group)
              .channelType(NioSocketChannel.class)
              .flowControlWindow(WINDOW_BYTES)
              .maxInboundMessageSize(MAX_ANSWER_BYTES)
              .decompressorRegistry(
                  DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, false))
              .build());
    }
  }

  @Override
  public void start() {
    loop.execute(this::sendWhatIsDue);
    loop.execute(this::lookUp);
  }

  @Override
  public void wake() {
    loop.execute(this::sendWhatIsDue);
  }

  @Override
  public void finish(long deadlineNanos) throws InterruptedException, TimeoutException {
    this.deadlineNanos = deadlineNanos;
    long left = deadlineNanos - System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    if (!ended.await(left, TimeUnit.NANOSECONDS)) {
      throw new TimeoutException("the gRPC load does not end");
    }
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** Ends the run once every call is answered, or its time is over. */
  private void lookUp() {
    boolean allAnswered = arrivals.ended() && unansweredInAll == 0 && arrivals.waiting() == 0;
    if (!allAnswered
        && (deadlineNanos == Long.MAX_VALUE || System.nanoTime() - deadlineNanos < 0)) {
      var _ = loop.schedule(this::lookUp, LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
      return;
    }
    over = true;
    for (int i = unansweredInAll + arrivals.waiting(); i > 0; i--) {
      tally.failed("no answer in time");
    }
    ended.countDown();
  }

  private void sendWhatIsDue() {
    while (unansweredInAll < inFlight && !over) {
      long due = arrivals.take(System.nanoTime());
      if (due == Arrivals.NONE) {
        return;
      }
      int channel = 0;
      for (int i = 1; i < unanswered.length; i++) {
        if (unanswered[i] < unanswered[channel]) {
          channel = i;
        }
      }
      send(channel, due);
    }
  }

  private void send(int channel, long due) {
    unanswered[channel]++;
    unansweredInAll++;
    var call = channels.get(channel).newCall(MODEL_INFER, CallOptions.DEFAULT);
    call.start(new Answer(channel, due), new Metadata());
    // Two messages, so that a second one, which a unary call must not have, is noticed and not
    // waited for.
    call.request(2);
    call.sendMessage(request);
    call.halfClose();
  }

  /** Counts one call's answer, and sends the next request on the same channel. */
  private final class Answer extends ClientCall.Listener<Integer> {
    private final int channel;
    private final long due;
    private int length = -1;

    Answer(int channel, long due) {
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
        // A channel that cannot connect reports from another of its threads.
        loop.execute(() -> closed(status));
      }
    }

    private void closed(Status status) {
      if (over) {
        return;
      }
      unanswered[channel]--;
      unansweredInAll--;
      if (!status.isOk()) {
        tally.failed("gRPC status %s: %s".formatted(status.getCode(), status.getDescription()));
      } else if (length < 0) {
        tally.failed("gRPC status OK without a message");
      } else {
        tally.answered(due, System.nanoTime(), length, length);
      }
      if (status.getCode() == Status.Code.UNAVAILABLE) {
        // The server may be away: not at once, or this would be a busy loop without a connection.
        var _ = loop.schedule(GrpcLoad.this::sendWhatIsDue, LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
        return;
      }
      sendWhatIsDue();
    }
  }
}
