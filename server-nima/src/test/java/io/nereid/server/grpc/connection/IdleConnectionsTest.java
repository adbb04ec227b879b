package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.grpc.connection.GrpcConnection.ConnectionSettings;
import io.nereid.server.grpc.limits.CallCount;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.grpc.limits.GrpcRefusal;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class IdleConnectionsTest {
  private final AtomicLong nanos = new AtomicLong();
  private final List<GrpcConnection> open = new ArrayList<>();
  private final IdleConnections idle = new IdleConnections(open, nanos::get);

  private GrpcConnection open(String client) {
    var connection =
        new GrpcConnection(
            new EmbeddedChannel(),
            new ClientKey(client),
            new ConnectionSettings(
                GrpcLimits.DEFAULT,
                new Refusals<>(GrpcRefusal.class, "gRPC", System::nanoTime),
                new RequestMemory(1 << 30, Long.MAX_VALUE),
                new CallCount(10)));
    open.add(connection);
    return connection;
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
    idle.look();
  }

  @Test
  void thoseOfTheClientThatHasMostComeFirstAndOfTheseTheLongestIdle() {
    GrpcConnection fair = open("fair");
    GrpcConnection first = open("greedy");
    idle.look();
    GrpcConnection second = open("greedy");
    pass(Duration.ofMillis(500));
    pass(IdleConnections.LEAST);

    assertThat(idle.poll()).isSameAs(first);
    assertThat(idle.poll()).isSameAs(second);
    assertThat(idle.poll()).isSameAs(fair);
    assertThat(idle.poll()).isNull();
  }

  @Test
  void aConnectionThatHasHadNoCallForLessThanASecondIsKept() {
    GrpcConnection connection = open("client");
    idle.look();
    pass(IdleConnections.LEAST.minusNanos(1));
    assertThat(idle.poll()).isNull();

    pass(Duration.ofSeconds(1));
    assertThat(idle.poll()).isSameAs(connection);
  }

  @Test
  void aConnectionWithACallIsKeptUntilThatHasEnded() {
    ConnectionUse use = open("client").use();
    use.begin();
    use.begin();
    use.end();
    idle.look();
    pass(IdleConnections.LEAST);
    assertThat(idle.poll()).isNull();

    use.end();
    pass(Duration.ofSeconds(1));
    pass(IdleConnections.LEAST);
    assertThat(idle.poll()).isNotNull();
  }

  @Test
  void aConnectionThatWasUsedSinceTheLastLookIsKept() {
    ConnectionUse use = open("client").use();
    idle.look();
    pass(IdleConnections.LEAST);
    use.begin();
    use.end();

    assertThat(idle.poll()).isNull();
  }
}
