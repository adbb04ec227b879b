package io.nereid.tck.command.tested;

import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.WireLog;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A server that runs: it is neither started nor stopped, has its own models, and no control modes.
 *
 * @param grpc empty if it is not to be asked over gRPC
 * @param metrics empty if its metrics are not to be read
 */
record GivenServer(URI http, Optional<URI> grpc, Optional<URI> metrics) implements ServerFactory {
  @Override
  public ServerUnderTest startServer(Path modelRepository) {
    String host = grpc.map(URI::getHost).orElse("");
    int port = grpc.map(URI::getPort).orElse(0);
    return new ServerUnderTest(http, host, port, metrics, () -> {}, false, WireLog.none());
  }
}
