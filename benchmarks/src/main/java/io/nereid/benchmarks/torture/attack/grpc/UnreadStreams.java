package io.nereid.benchmarks.torture.attack.grpc;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.tools.load.transport.EncodedMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Streams that send requests as long as the server takes them, and read no response. */
public final class UnreadStreams implements Attack.Script {
  private static final int STREAMS = 1_000;
  private static final int CHANNELS = 10;
  private static final int MESSAGES = 26;
  private static final int FLOATS = 23_000;
  private static final int WINDOW_BYTES = 65_535;

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    byte[] message = Requests.grpcIdentity(scene.scale().count(FLOATS)).toByteArray();
    List<ManagedChannel> channels = new ArrayList<>();
    List<Stream> streams = new ArrayList<>();
    try {
      for (int i = 0; i < CHANNELS; i++) {
        channels.add(
            NettyChannelBuilder.forAddress(scene.target().grpc())
                .usePlaintext()
                .flowControlWindow(WINDOW_BYTES)
                .build());
      }
      int count = scene.scale().count(STREAMS);
      for (int i = 0; i < count; i++) {
        streams.add(new Stream(channels.get(i % CHANNELS), message));
      }
      Thread.sleep(scene.scale().hold());
      int sent = streams.stream().mapToInt(Stream::sent).sum();
      return AttackOutcome.of(
          "%d of %d requests taken; ended after %d s: %s"
              .formatted(sent, count * MESSAGES, scene.scale().hold().toSeconds(), ends(streams)));
    } finally {
      channels.forEach(ManagedChannel::shutdownNow);
    }
  }

  private static Map<String, Integer> ends(List<Stream> streams) {
    var ends = new TreeMap<String, Integer>();
    for (Stream stream : streams) {
      Status status = stream.status;
      if (status != null) {
        ends.merge(status.getCode().toString(), 1, Integer::sum);
      }
    }
    return ends;
  }

  /** One stream. Callbacks come from one thread at a time. */
  private static final class Stream extends ClientCall.Listener<Integer> {
    private final ClientCall<byte[], Integer> call;
    private final byte[] message;
    private final AtomicInteger sent = new AtomicInteger();
    private volatile @Nullable Status status;

    Stream(ManagedChannel channel, byte[] message) {
      this.message = message;
      call =
          channel.newCall(
              EncodedMethod.of("ModelStreamInfer", MethodType.BIDI_STREAMING), CallOptions.DEFAULT);
      call.start(this, new Metadata());
    }

    int sent() {
      return sent.get();
    }

    @Override
    public void onReady() {
      while (call.isReady() && status == null && sent.get() < MESSAGES) {
        call.sendMessage(message);
        sent.incrementAndGet();
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      this.status = status;
    }
  }
}
