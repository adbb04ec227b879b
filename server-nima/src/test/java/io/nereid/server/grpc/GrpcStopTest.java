package io.nereid.server.grpc;

import static io.nereid.server.grpc.GrpcTestServer.INFER;
import static io.nereid.server.grpc.GrpcTestServer.STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients see of a stop that have sent half a request, or nothing. */
@Timeout(60)
class GrpcStopTest {
  /** grpc-java, left alone, waits 10 s for the answer to a ping before it closes a connection. */
  private static final Duration LESS_THAN_A_PING = Duration.ofSeconds(9);

  private final FakeModelControl models = new FakeModelControl();

  private GrpcTestServer start() throws IOException {
    return new GrpcTestServer(GrpcLimits.DEFAULT, GrpcKeepAlive.DEFAULT, models);
  }

  @Test
  void closesIdleConnectionsAndHalfRequestsAtOnceWhenItStops() throws Exception {
    try (var server = start();
        var silent = new Http2Socket(server.port());
        var idle = Http2Socket.open(server.port());
        var half = Http2Socket.open(server.port());
        var stream = Http2Socket.open(server.port())) {
      half.writeCall(1, INFER);
      half.writeFrame(Http2Socket.DATA, 0, 1, new byte[] {0, 0, 0, 1, 0, 'a', 'b'});
      stream.writeCall(1, STREAM);
      stream.writeFrame(Http2Socket.DATA, 0, 1, new byte[] {0, 0, 0, 1, 0, 'a', 'b'});
      var _ = stream.await(frame -> frame.type() == Http2Socket.HEADERS);
      server.awaitCalls(2);

      assertThat(server.stop(LESS_THAN_A_PING)).isTrue();
      assertThat(half.awaitStatus(1))
          .isEqualTo("14 the server stops, and the request has not come whole");
      assertThat(idle.await(frame -> frame.type() == Http2Socket.GOAWAY)).isNotNull();
      idle.awaitClose();
      half.awaitClose();
      stream.awaitClose();
      silent.awaitClose();
    }
  }

  @Test
  void endsAHalfRequestThatBeginsWhileItStops() throws Exception {
    var load = new HeldLoad(models);
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      load.begin(client);
      var stop = new FutureTask<>(() -> server.stop(Duration.ofSeconds(40)));
      Thread.ofVirtual().start(stop);
      assertThat(client.await(frame -> frame.type() == Http2Socket.GOAWAY)).isNotNull();

      client.writeCall(3, INFER);
      client.writeFrame(Http2Socket.DATA, 0, 3, new byte[] {0, 0, 0, 1, 0, 'a', 'b'});
      server.awaitCalls(2);
      load.end();

      assertThat(client.awaitStatus(3))
          .isEqualTo("14 the server stops, and the request has not come whole");
      assertThat(stop.get()).isTrue();
    }
  }

  @Test
  void tellsACallThatOutlastsTheStop() throws Exception {
    var load = new HeldLoad(models);
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      load.begin(client);

      assertThat(server.stop(Duration.ofMillis(50))).isFalse();
      Http2Headers end = client.awaitEnd(1);
      assertThat(end.get("grpc-status")).hasToString("14");
      assertThat(end.get("grpc-message"))
          .hasToString("the server stops, and the call has not ended within the exit timeout");
      assertThat(end.get("grpc-retry-pushback-ms")).as("not again").hasToString("-1");
      client.awaitClose();
      load.end();
    }
  }
}
