package io.nereid.server.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.Main;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server whose class path lacks a library of Netty, as that of a program which embeds it may. */
@Timeout(60)
class GrpcLibrariesTest {
  @TempDir private Path models;

  private record Exit(int status, String output) {}

  private Exit serve() throws Exception {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String without =
        Arrays.stream(all.split(File.pathSeparator))
            .filter(entry -> !entry.contains("netty-codec-http2"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            without,
            Main.class.getName(),
            "serve",
            "--model-repository=" + models,
            "--http-address=127.0.0.1",
            "--http-port=0",
            "--grpc-address=127.0.0.1",
            "--grpc-port=0",
            "--allow-metrics=false",
            "--server-warmup=0");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Exit(process.waitFor(), output);
  }

  @Test
  void theServerSaysWhatGrpcNeeds() throws Exception {
    Exit exit = serve();

    assertThat(exit.output())
        .contains(
            "cannot serve gRPC (--allow-grpc): it needs grpc-netty 1.79 or later and Netty 4.1 or"
                + " 4.2 on the class path: java.lang.NoClassDefFoundError: io/netty/");
    assertThat(exit.status()).isEqualTo(1);
  }
}
