package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.Launched;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class BrokenServersTest {
  private static ServerUnderTest serving(HttpHandler handler) throws IOException {
    var loopback = InetAddress.getLoopbackAddress();
    var server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
    server.createContext("/", handler);
    server.start();
    var address =
        "http://%s:%d".formatted(loopback.getHostAddress(), server.getAddress().getPort());
    return new ServerUnderTest(URI.create(address), "", 0, () -> server.stop(0));
  }

  private static ServerUnderTest answering(int status, String body) throws IOException {
    return serving(exchange -> {
      try (exchange) {
        exchange.getRequestBody().readAllBytes();
        byte[] bytes = body.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
      }
    });
  }

  @Test
  void catchesAServerThatFindsEverythingReady() {
    var launched = Launched.run(AlwaysReady.class);

    assertThat(launched.passed()).contains("saysThatALoadedModelIsReady");
    assertThat(launched.failed()).contains("saysThatAnUnknownModelOrVersionIsNotReady");
  }

  static final class AlwaysReady extends HealthVerification {
    @Override
    public ServerUnderTest startServer(Path modelRepository) throws IOException {
      return answering(200, "");
    }
  }

  @Test
  void catchesAServerThatSendsErrorsAsPlainText() {
    assertThat(Launched.run(PlainText.class).failed())
        .contains("respondsNotFoundToAnUnknownPath", "respondsMethodNotAllowedToTheWrongMethod");
  }

  static final class PlainText extends RouteVerification {
    @Override
    public ServerUnderTest startServer(Path modelRepository) throws IOException {
      return answering(404, "Not Found");
    }
  }

  @Test
  void catchesAServerThatSendsOneResponseToEveryInference() {
    var launched = Launched.run(OneAnswer.class);

    assertThat(launched.failed())
        .contains("addsAndSubtracts", "carriesEveryDataTypeThatJsonCan", "answersALargeTensor");
    assertThat(launched.passed()).isEmpty();
  }

  static final class OneAnswer extends InferVerification {
    @Override
    public ServerUnderTest startServer(Path modelRepository) throws IOException {
      return answering(200, "{\"model_name\":\"simple\",\"model_version\":\"1\",\"outputs\":[]}");
    }
  }

  @Test
  void catchesAServerThatReportsEveryErrorWithTheSameText() {
    assertThat(Launched.run(OneError.class).passed()).isEmpty();
  }

  static final class OneError extends ValidationVerification {
    @Override
    public ServerUnderTest startServer(Path modelRepository) throws IOException {
      return answering(400, "{\"error\":\"bad request\"}");
    }
  }
}
