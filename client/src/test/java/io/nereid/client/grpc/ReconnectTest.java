package io.nereid.client.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call that found no connection has its channel connect at once for the next one. */
@Timeout(60)
class ReconnectTest {
  private final AtomicInteger reconnects = new AtomicInteger();

  private NereidClient open(int port) {
    ManagedChannel channel =
        Grpc.newChannelBuilderForAddress("127.0.0.1", port, InsecureChannelCredentials.create())
            .build();
    return NereidClient.builder("grpc://127.0.0.1:" + port)
        .retries(RetryPolicy.NONE)
        .transport((address, settings) ->
            new ChannelTransport(
                channel,
                reconnects::incrementAndGet,
                channel::shutdownNow,
                address.toString(),
                settings))
        .open();
  }

  @Test
  void onlyACallWithoutAConnectionDoes() throws IOException {
    Server server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create()).build().start();
    int port = server.getPort();
    InferRequest request = InferRequest.to("m").build();
    try (NereidClient client = open(port)) {
      assertThat(client.inferAsync(request)).failsWithin(Duration.ofSeconds(30));
      assertThat(reconnects).hasValue(0);
    } finally {
      server.shutdownNow();
    }
    try (NereidClient client = open(port)) {
      assertThat(client.inferAsync(request)).failsWithin(Duration.ofSeconds(30));
      assertThat(reconnects).hasValue(1);
    }
  }
}
