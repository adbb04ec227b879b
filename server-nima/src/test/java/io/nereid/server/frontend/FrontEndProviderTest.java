package io.nereid.server.frontend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.server.NereidServer;
import io.nereid.server.ServerBuilder;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Front ends that are not the server's own. */
class FrontEndProviderTest {
  @TempDir private Path folder;

  @Test
  void isServedUntilTheServerStops() throws Exception {
    int port;
    try (NereidServer server = builder("lines,port=0", "lines,greeting=is ready").start()) {
      port = server.port("lines");
      assertThat(line(port)).isEqualTo("is ready: true\n");
    }
    assertThatThrownBy(() -> line(port)).isInstanceOf(ConnectException.class);
  }

  @Test
  void isServedOnlyIfOptionsAskForIt() throws Exception {
    try (NereidServer server = builder().start()) {
      assertThatThrownBy(() -> server.port("lines"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("lines is not served");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          lines,greeting=x  | --front-end-config=lines,port must be a number from 0 to 65535, but is not set
          lines,port=65536  | --front-end-config=lines,port must be a number from 0 to 65535, but '65536' was given
          lines,port=-1     | --front-end-config=lines,port must be a number from 0 to 65535, but '-1' was given
          lines,port=x      | --front-end-config=lines,port must be a number from 0 to 65535, but 'x' was given
          pages,port=0      | --front-end-config=pages: there is no such front end in {}
          """)
  void endsTheStartIfItCannotBeMade(String config, String sentence) {
    assertThatThrownBy(() -> builder(config).start())
        .isInstanceOf(InferenceException.class)
        .hasMessage(sentence.replace("{}", folder.toString()));
  }

  @Test
  void endsTheStartIfASettingIsNotKnown() {
    assertThatThrownBy(() -> builder("lines,port=0", "lines,colour=red").start())
        .isInstanceOf(InferenceException.class)
        .hasMessage("lines has no setting 'colour'");
  }

  @Test
  void endsTheStartIfItsJarsCannotBeUsed() throws Exception {
    Files.writeString(Files.createDirectory(folder.resolve("pages")).resolve("a.jar"), "no jar");
    assertThatThrownBy(() -> builder("pages,port=0").start())
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith(
            "--front-end-config=pages: the jars in %s cannot be used: ", folder.resolve("pages"));
  }

  @Test
  void endsTheStartIfItsPortIsTaken() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThatIOException()
          .isThrownBy(() -> builder("lines,port=" + port).start())
          .withMessage(
              "cannot listen at 127.0.0.1:%d (--front-end-config=lines,address, port): Address"
                      .formatted(port)
                  + " already in use");
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = "lines\n,port=0\nlines,=1\nlines,port\n")
  void refusesAnOptionWithoutItsParts(String config) {
    assertThatThrownBy(() -> builder(config).start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "--front-end-config is '<front end>,<key>=<value>', but '%s' was given", config);
  }

  private ServerBuilder builder(String... configs) {
    ServerBuilder builder =
        NereidServer.builder()
            .repository(folder)
            .http(0)
            .withoutGrpc()
            .withoutMetrics()
            .option("http-address", "127.0.0.1")
            .option("model-control-mode", "explicit")
            .option("server-warmup", "0")
            .option("front-end-directory", folder.toString());
    for (String config : configs) {
      builder.option("front-end-config", config);
    }
    return builder;
  }

  private static String line(int port) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
