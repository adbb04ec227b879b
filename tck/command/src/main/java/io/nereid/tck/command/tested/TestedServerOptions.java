package io.nereid.tck.command.tested;

import io.nereid.tck.ServerCommand;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.WireLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which server is verified: one that runs, or the command of one. */
public final class TestedServerOptions {
  @Option(
      names = "--url",
      paramLabel = "<url>",
      description =
          "A running server, such as http://localhost:8000. Its models are those of"
              + " 'models'; rules of models that it lacks are skipped.")
  private String url = "";

  @Option(
      names = "--grpc-url",
      paramLabel = "<host:port>",
      description =
          "Where the running server speaks gRPC in plain text, such as localhost:8001."
              + " Without it the rules of gRPC are skipped.")
  private String grpcUrl = "";

  @Option(
      names = "--metrics-url",
      paramLabel = "<url>",
      description =
          "Where the running server has /metrics, such as http://localhost:8002. Without it"
              + " the rules of metrics are skipped.")
  private String metricsUrl = "";

  @Option(
      names = "--server",
      paramLabel = "<command>",
      description = {
        "A command that starts a server, once for each group of rules. Triton's options for"
            + " repositories, ports and control modes are appended.",
        "With one of the placeholders {models}, {http}, {grpc}, {metrics} nothing is appended; each"
            + " is replaced by the folder of the models, or by a free port."
      })
  private String command = "";

  /** The address or the command, for reports; empty without one. */
  public String address() {
    return url.isEmpty() ? command : url;
  }

  /**
   * The server, which is reached or started.
   *
   * @param log what a started server prints
   * @throws WrongArgument if an address is none, there is not exactly one server, or it does not
   *     answer
   */
  public Tested open(Path log) {
    return new TestedServers(factory(log), address());
  }

  /**
   * Servers that the calling program starts.
   *
   * @throws WrongArgument if a server is named
   */
  public Tested open(ServerFactory own) {
    if (!address().isBlank()) {
      throw new WrongArgument("the program starts the servers: leave out --url and --server");
    }
    return new TestedServers(own, "");
  }

  private ServerFactory factory(Path log) {
    if (url.isEmpty() == command.isBlank()) {
      throw new WrongArgument(
          "name one server: --url=http://localhost:8000 for one that runs, or --server='<command>'");
    }
    if (url.isEmpty()) {
      if (!grpcUrl.isEmpty() || !metricsUrl.isEmpty()) {
        throw new WrongArgument(
            "--grpc-url and --metrics-url belong to --url: --server has {grpc}");
      }
      return ServerCommand.of(command, log);
    }
    URI http = address("--url", url, "http://localhost:8000");
    Optional<URI> grpc =
        option(grpcUrl).map(text -> address("--grpc-url", withScheme(text), "localhost:8001"));
    Optional<URI> metrics =
        option(metricsUrl).map(text -> address("--metrics-url", text, "http://localhost:8002"));
    requireAnswer(http);
    // It is neither started nor stopped, has its own models, and no control modes.
    var running =
        new ServerUnderTest(
            http,
            grpc.map(URI::getHost).orElse(""),
            grpc.map(URI::getPort).orElse(0),
            metrics,
            () -> {},
            false,
            WireLog.none());
    return _ -> running;
  }

  private static void requireAnswer(URI url) {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(url.getHost(), url.getPort()), 5_000);
    } catch (IOException failure) {
      throw new WrongArgument(
          "--url: no server answers at %s: %s".formatted(url, failure.getMessage()));
    }
  }

  private static Optional<String> option(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  /** gRPC's addresses are written with and without a scheme. */
  private static String withScheme(String address) {
    return "http://" + address.replaceFirst("^(grpc|http|dns)://+", "");
  }

  private static URI address(String option, String text, String example) {
    try {
      URI address = new URI(text);
      boolean isPlain = "http".equals(address.getScheme()) && address.getHost() != null;
      boolean hasPath = address.getPath() != null && !address.getPath().matches("/?");
      if (isPlain && !hasPath && address.getQuery() == null && address.getUserInfo() == null) {
        int port = address.getPort() < 0 ? 80 : address.getPort();
        return new URI("http", null, address.getHost(), port, null, null, null);
      }
    } catch (URISyntaxException wrong) {
      // told below
    }
    throw new WrongArgument(
        "%s: expected an address in plain text such as %s, without a path, and got '%s'"
            .formatted(option, example, text));
  }
}
