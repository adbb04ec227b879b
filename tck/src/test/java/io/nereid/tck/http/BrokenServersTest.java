package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.Launched;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class BrokenServersTest {
  private static final ScopedValue<ServerUnderTest> TESTED = ScopedValue.newInstance();

  /** Has every verification use the current server. */
  interface Broken extends ServerFactory {
    @Override
    default ServerUnderTest startServer(Path modelRepository) {
      return TESTED.get();
    }
  }

  static final class Health extends HealthVerification implements Broken {}

  static final class Routes extends RouteVerification implements Broken {}

  static final class Inference extends InferVerification implements Broken {}

  static final class Validation extends ValidationVerification implements Broken {}

  /** Runs the tests against a server that sends one response to every request. */
  private static Launched run(Class<?> verification, int status, String body) throws IOException {
    return ScopedValue.where(TESTED, answering(status, body))
        .call(() -> Launched.run(verification));
  }

  private static ServerUnderTest answering(int status, String body) throws IOException {
    var loopback = InetAddress.getLoopbackAddress();
    var server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            byte[] bytes = body.getBytes(UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
          }
        });
    server.start();
    var address =
        "http://%s:%d".formatted(loopback.getHostAddress(), server.getAddress().getPort());
    return new ServerUnderTest(URI.create(address), "", 0, () -> server.stop(0));
  }

  @Test
  void catchesAServerThatFindsEverythingReady() throws IOException {
    var launched = run(Health.class, 200, "");

    assertThat(launched.passed()).contains("saysThatALoadedModelIsReady");
    assertThat(launched.failed()).contains("saysThatAnUnknownModelOrVersionIsNotReady");
  }

  @Test
  void catchesAServerThatSendsErrorsAsPlainText() throws IOException {
    assertThat(run(Routes.class, 404, "Not Found").failed())
        .contains("respondsNotFoundToAnUnknownPath", "respondsMethodNotAllowedToTheWrongMethod");
  }

  @Test
  void catchesAServerThatSendsOneResponseToEveryInference() throws IOException {
    var empty = "{\"model_name\":\"simple\",\"model_version\":\"1\",\"outputs\":[]}";
    var launched = run(Inference.class, 200, empty);

    assertThat(launched.failed())
        .contains("addsAndSubtracts", "carriesEveryDataTypeThatJsonCan", "answersALargeTensor");
    assertThat(launched.passed()).isEmpty();
  }

  @Test
  void catchesAServerThatReportsEveryErrorWithTheSameText() throws IOException {
    assertThat(run(Validation.class, 400, "{\"error\":\"bad request\"}").passed()).isEmpty();
  }
}
