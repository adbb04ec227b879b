package io.nereid.server.warmup;

import io.nereid.protocol.inference.ModelInferRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Connections of both protocols to a {@link WarmupServer}. Used by one thread. */
final class WarmupConnections implements AutoCloseable {
  /**
   * Requests of one connection in turn: only a thread that has sent the one before executes one
   * that is alone.
   */
  private static final int BURST = 16;

  private static final int HTTP_CONNECTIONS = 2;

  /** A response that takes longer is a failure. Longer than a busy machine needs for the first. */
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);

  private final List<RequestConnection> connections = new ArrayList<>();

  /** Connects over the protocols that the server serves. */
  static WarmupConnections open(WarmupServer server) throws IOException {
    var all = new WarmupConnections();
    try {
      all.connect(server);
      return all;
    } catch (IOException | RuntimeException failed) {
      all.close();
      throw failed;
    }
  }

  private void connect(WarmupServer server) throws IOException {
    List<WarmupRequest> requests = WarmupModel.requests();
    if (server.servesHttp()) {
      List<byte[]> bodies =
          requests.stream()
              .flatMap(request -> Stream.of(request.json(), request.binary()))
              .toList();
      for (int i = 0; i < HTTP_CONNECTIONS; i++) {
        connections.add(new HttpWarmup(server.httpPort(), RESPONSE_TIMEOUT, bodies));
      }
    }
    if (server.servesGrpc()) {
      List<ModelInferRequest> messages = requests.stream().map(WarmupRequest::message).toList();
      connections.add(new GrpcWarmup(server.grpcPort(), RESPONSE_TIMEOUT, messages));
    }
  }

  /** Sends one request over each connection; returns how many. */
  long sendOne(BooleanSupplier mayGoOn) throws IOException {
    return sendInTurn(1, mayGoOn);
  }

  /** Sends some one at a time, and then several at once; returns how many. */
  long sendRound(BooleanSupplier mayGoOn) throws IOException {
    return sendInTurn(BURST, mayGoOn) + (mayGoOn.getAsBoolean() ? sendAtOnce() : 0);
  }

  private long sendInTurn(int burst, BooleanSupplier mayGoOn) throws IOException {
    long sent = 0;
    for (RequestConnection connection : connections) {
      for (int i = 0; i < burst && mayGoOn.getAsBoolean(); i++) {
        connection.send();
        connection.receive();
        sent++;
      }
    }
    return sent;
  }

  private long sendAtOnce() throws IOException {
    long sent = 0;
    for (RequestConnection connection : connections) {
      for (int i = 0; i < connection.maxInFlight(); i++) {
        connection.send();
        sent++;
      }
    }
    for (RequestConnection connection : connections) {
      for (int i = 0; i < connection.maxInFlight(); i++) {
        connection.receive();
      }
    }
    return sent;
  }

  @Override
  public void close() throws IOException {
    for (RequestConnection connection : connections) {
      connection.close();
    }
  }
}
