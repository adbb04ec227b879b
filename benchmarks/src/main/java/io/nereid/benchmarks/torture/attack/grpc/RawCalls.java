package io.nereid.benchmarks.torture.attack.grpc;

import io.grpc.CallOptions;
import io.grpc.Compressor;
import io.grpc.CompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.nereid.tools.load.transport.EncodedMethod;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** A connection over which calls send messages that are bytes. Thread-safe. */
public final class RawCalls implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 40;
  private static final String NO_ANSWER = Status.Code.DEADLINE_EXCEEDED.toString();

  private final ManagedChannel channel;

  private RawCalls(ManagedChannel channel) {
    this.channel = channel;
  }

  public static RawCalls open(InetSocketAddress server) {
    var packed = CompressorRegistry.newEmptyInstance();
    packed.register(new Packed());
    return new RawCalls(
        NettyChannelBuilder.forAddress(server).usePlaintext().compressorRegistry(packed).build());
  }

  /**
   * Sends a message and returns the code of the status.
   *
   * @param method such as {@code ModelInfer}
   * @param packed whether the message is a gzip file
   */
  public String answer(String method, byte[] message, boolean packed) {
    var options = CallOptions.DEFAULT.withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    try {
      var _ =
          ClientCalls.blockingUnaryCall(
              channel,
              EncodedMethod.of(method, MethodType.UNARY),
              packed ? options.withCompression(Packed.NAME) : options,
              message);
      return Status.Code.OK.toString();
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode().toString();
    }
  }

  /** Whether a text of {@link #answer} is that of an answer in time. */
  public static boolean isAnswer(String code) {
    return !code.equals(NO_ANSWER);
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  /** Says that messages are packed by gzip, and leaves them as they are, since they are already. */
  private static final class Packed implements Compressor {
    static final String NAME = "gzip";

    @Override
    public String getMessageEncoding() {
      return NAME;
    }

    @Override
    public OutputStream compress(OutputStream target) {
      return target;
    }
  }
}
