package io.nereid.server.faults;

import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Good servers behind proxies that have a fault. */
final class FaultyServers implements ServerFactory {
  private final ServerFactory good;
  private final Fault fault;

  FaultyServers(ServerFactory good, Fault fault) {
    this.good = good;
    this.fault = fault;
  }

  @Override
  public ServerUnderTest startServer(Path modelRepository) throws Exception {
    return behindProxies(good.startServer(modelRepository), fault);
  }

  @Override
  public Optional<ServerUnderTest> startServer(
      ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
      throws Exception {
    Optional<ServerUnderTest> server = good.startServer(mode, modelRepositories, startupModels);
    return server.isEmpty() ? server : Optional.of(behindProxies(server.get(), fault));
  }

  /** The same server by the addresses of proxies, which end before it does. Takes the server. */
  static ServerUnderTest behindProxies(ServerUnderTest server, Fault fault) throws IOException {
    var http = new HttpFaultProxy(server.http().getPort(), fault);
    var grpc = new GrpcFaultProxy(server.grpcPort(), fault);
    Optional<HttpFaultProxy> metrics =
        server.metrics().isEmpty()
            ? Optional.empty()
            : Optional.of(new HttpFaultProxy(server.metrics().get().getPort(), fault));
    return new ServerUnderTest(
        http.address(),
        "127.0.0.1",
        grpc.port(),
        metrics.map(HttpFaultProxy::address),
        () -> {
          metrics.ifPresent(HttpFaultProxy::close);
          grpc.close();
          http.close();
          server.close();
        },
        server.isFresh(),
        server.log());
  }
}
