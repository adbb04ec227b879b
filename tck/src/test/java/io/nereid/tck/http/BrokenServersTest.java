package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.repository.ControlModeVerification;
import io.nereid.tck.repository.EnsembleControlVerification;
import io.nereid.tck.repository.IndexVerification;
import io.nereid.tck.repository.LoadBodyVerification;
import io.nereid.tck.repository.LoadParameterVerification;
import io.nereid.tck.repository.LoadVerification;
import io.nereid.tck.repository.RepositoryVerification;
import io.nereid.tck.repository.UnloadVerification;
import io.nereid.tck.support.Launched;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BrokenServersTest {
  private static final ScopedValue<ServerUnderTest> TESTED = ScopedValue.newInstance();

  /** Has every verification use the current server. */
  interface Broken extends ServerFactory {
    @Override
    default ServerUnderTest startServer(Path modelRepository) {
      return TESTED.get();
    }

    @Override
    default Optional<ServerUnderTest> startServer(
        ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels) {
      return Optional.of(TESTED.get());
    }
  }

  /** A server without control modes. */
  interface WithoutModes extends ServerFactory {
    @Override
    default ServerUnderTest startServer(Path modelRepository) {
      throw new AssertionError("not started");
    }
  }

  static final class Health extends HttpHealthVerification implements Broken {}

  static final class Routes extends RouteVerification implements Broken {}

  static final class Inference extends HttpInferVerification implements Broken {}

  static final class Generate extends GenerateVerification implements Broken {}

  static final class Settings extends HttpSettingsVerification implements Broken {}

  static final class Validation extends ValidationVerification implements Broken {}

  static final class SharedMemory extends HttpSharedMemoryVerification implements Broken {}

  static final class Repository extends RepositoryVerification implements Broken {}

  static final class Index extends IndexVerification implements Broken {}

  static final class Load extends LoadVerification implements Broken {}

  static final class LoadBody extends LoadBodyVerification implements Broken {}

  static final class LoadParameter extends LoadParameterVerification implements Broken {}

  static final class Unload extends UnloadVerification implements Broken {}

  static final class EnsembleControl extends EnsembleControlVerification implements Broken {}

  static final class Modes extends ControlModeVerification implements Broken {}

  static final class SkippedLoad extends LoadVerification implements WithoutModes {}

  static final class SkippedModes extends ControlModeVerification implements WithoutModes {}

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

    assertThat(launched.passed()).contains("isLiveOrReadyWithAnEmptyBody");
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
  void catchesAServerThatSendsOneResponseToEveryGenerate() throws IOException {
    var empty = "{\"model_name\":\"repeat\",\"model_version\":\"1\"}";

    assertThat(run(Generate.class, 200, empty).passed()).isEmpty();
  }

  @Test
  void catchesAServerThatHasNoSettings() throws IOException {
    assertThat(run(Settings.class, 200, "{}").passed()).isEmpty();
    assertThat(run(Settings.class, 404, "{\"error\":\"Not Found\"}").passed()).isEmpty();
  }

  @Test
  void catchesAServerThatReportsEveryErrorWithTheSameText() throws IOException {
    assertThat(run(Validation.class, 400, "{\"error\":\"bad request\"}").passed()).isEmpty();
  }

  /** A server that does not allow regions is not tested, but one that only says that it does. */
  @Test
  void catchesAServerThatRegistersEveryRegionAndStatesNone() throws IOException {
    var launched = run(SharedMemory.class, 200, "[]");

    assertThat(launched.passed()).isEmpty();
    assertThat(launched.failed()).contains("statesTheRegionsThatAreRegistered", "refusesARegion");
    assertThat(run(SharedMemory.class, 501, "{\"error\":\"disabled\"}").failed()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"200,''", "200,[]", "503,'{\"error\":\"Server not ready\"}'"})
  void catchesAServerThatSendsOneResponseToAllOfTheModelRepositoryExtension(int status, String body)
      throws IOException {
    assertThat(run(Repository.class, status, body).passed()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Index.class,
        Load.class,
        LoadBody.class,
        LoadParameter.class,
        Unload.class,
        EnsembleControl.class,
        Modes.class
      })
  void catchesAServerThatAcceptsLoadAndUnloadAndDoesNothing(Class<?> verification)
      throws IOException {
    var launched = run(verification, 200, "");

    assertThat(launched.passed()).isEmpty();
    assertThat(launched.failed()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(classes = {SkippedLoad.class, SkippedModes.class})
  void skipsTheRulesOfModesThatAServerDoesNotHave(Class<?> verification) {
    var launched = Launched.run(verification);

    assertThat(launched.passed()).isEmpty();
    assertThat(launched.failed()).isEmpty();
  }
}
