package io.nereid.server.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.LogSettingsRequest;
import io.nereid.protocol.inference.TraceSettingRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What clients may change of the settings of log and traces, on both protocols. */
@Timeout(60)
class ClientSettingsServerTest {
  private static final String UNLESS = ", unless the server is started with --client-settings=all";

  @TempDir private Path folder;

  /** A server with both clients. */
  private final class Server implements AutoCloseable {
    private final LocalServer server;
    private final HttpWire wire;
    private final GRPCInferenceServiceBlockingStub grpc;

    Server(String... options) throws IOException {
      Path models = folder.resolve("models");
      RepositoryFolder.at(models).add("m", RepositoryFolder.ECHO, 1);
      server = new LocalServer(LocalServer.options(models, options), new CheckedBufferPool());
      wire = new HttpWire(server.http());
      grpc = GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
    }

    HttpWire.Response post(String path, String body) {
      return wire.send("POST", path, body.getBytes(UTF_8), Map.of());
    }

    void log(String name, boolean value) {
      var setting = LogSettingsRequest.SettingValue.newBuilder().setBoolParam(value).build();
      var _ = grpc.logSettings(LogSettingsRequest.newBuilder().putSettings(name, setting).build());
    }

    void verboseLevel(int level) {
      var setting = LogSettingsRequest.SettingValue.newBuilder().setUint32Param(level).build();
      var _ =
          grpc.logSettings(
              LogSettingsRequest.newBuilder().putSettings("log_verbose_level", setting).build());
    }

    void trace(String model, String name, String value) {
      var setting = TraceSettingRequest.SettingValue.newBuilder().addValue(value).build();
      var _ =
          grpc.traceSetting(
              TraceSettingRequest.newBuilder()
                  .setModelName(model)
                  .putSettings(name, setting)
                  .build());
    }

    void refuses(String path, String body, String text) {
      HttpWire.Response response = post(path, body);
      assertThat(response.text()).isEqualTo("{\"error\":\"" + text + "\"}");
      assertThat(response.status()).isEqualTo(400);
    }

    @Override
    public void close() {
      wire.close();
      server.close();
    }
  }

  private static void refused(Runnable call, String text) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(call::run)
        .satisfies(refused -> {
          assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
          assertThat(refused.getStatus().getDescription()).isEqualTo(text);
        });
  }

  private String[] traced(String... more) {
    String[] options = new String[more.length + 2];
    options[0] = "--trace-config=triton,file=" + folder.resolve("trace.json");
    options[1] = "--trace-config=rate=1";
    System.arraycopy(more, 0, options, 2, more.length);
    return options;
  }

  @Test
  void aClientHidesNoLinesChangesNotTheirFormatAndAsksForNoDetailsOfLibraries() throws IOException {
    try (var server = new Server()) {
      String level = "'log_verbose_level' 2: clients may set at most 1" + UNLESS;
      String errors = "'log_error' false: clients may not hide errors" + UNLESS;
      String warnings = "'log_warning' false: clients may not hide warnings" + UNLESS;
      server.refuses("/v2/logging", "{\"log_verbose_level\":2}", level);
      String info = "'log_info' false: clients may not hide information" + UNLESS;
      String format = "'log_format': clients may not change what others read" + UNLESS;
      server.refuses("/v2/logging", "{\"log_info\":false}", info);
      server.refuses("/v2/logging", "{\"log_format\":\"json\"}", format);
      server.refuses("/v2/logging", "{\"log_error\":false}", errors);
      server.refuses("/v2/logging", "{\"log_warning\":false}", warnings);
      refused(() -> server.verboseLevel(2), level);
      refused(() -> server.log("log_error", false), errors);
      refused(() -> server.log("log_warning", false), warnings);

      assertThat(server.post("/v2/logging", "{\"log_verbose_level\":1,\"log_info\":true}").text())
          .contains("\"log_error\":true", "\"log_warning\":true", "\"log_info\":true")
          .contains("\"log_verbose_level\":1");
    }
  }

  @Test
  void aClientHasNoTensorsTraced() throws IOException {
    try (var server = new Server(traced())) {
      String text = "'trace_level' TENSORS: clients may not have tensors traced" + UNLESS;
      for (String model : new String[] {"", "m"}) {
        String path = model.isEmpty() ? "/v2" : "/v2/models/m";
        server.refuses(path + "/trace/setting", "{\"trace_level\":[\"TENSORS\"]}", text);
        refused(() -> server.trace(model, "trace_level", "TENSORS"), text);
      }

      assertThat(server.post("/v2/trace/setting", "{\"trace_level\":[\"TIMESTAMPS\"]}").status())
          .isEqualTo(200);
    }
  }

  @Test
  void aClientHasNoFileMadeForFewTraces() throws IOException {
    try (var server = new Server(traced())) {
      String text =
          "'log_frequency' 99: clients may not have fewer than 100 traces in a file" + UNLESS;
      for (String model : new String[] {"", "m"}) {
        String path = model.isEmpty() ? "/v2" : "/v2/models/m";
        server.refuses(path + "/trace/setting", "{\"log_frequency\":\"99\"}", text);
        refused(() -> server.trace(model, "log_frequency", "99"), text);
        for (String allowed : new String[] {"100", "0"}) {
          server.trace(model, "log_frequency", allowed);
        }
      }
    }
  }

  @Test
  void aClientChangesNothingIfTheOperatorSaysSoButReadsAll() throws IOException {
    try (var server = new Server(traced("--client-settings=none"))) {
      String text =
          "clients may not change settings, since the server was started with"
              + " --client-settings=none";
      server.refuses("/v2/logging", "{\"log_info\":false}", text);
      server.refuses("/v2/trace/setting", "{\"trace_rate\":\"7\"}", text);
      server.refuses("/v2/models/m/trace/setting", "{\"log_frequency\":\"1\"}", text);
      refused(() -> server.verboseLevel(1), text);
      refused(() -> server.trace("", "trace_level", "TIMESTAMPS"), text);
      refused(() -> server.trace("m", "trace_count", "1"), text);

      assertThat(server.post("/v2/logging", "{}").text())
          .contains("\"log_info\":true", "\"log_verbose_level\":0");
      assertThat(server.post("/v2/models/m/trace/setting", "{}").text())
          .contains("[\"OFF\"]", "\"trace_rate\":\"1\"", "\"log_frequency\":\"0\"");
    }
  }

  @Test
  void whatTheOperatorHasStartedTheServerWithIsAllowed() throws IOException {
    try (var server =
        new Server(
            traced(
                "--log-verbose=3",
                "--log-error=false",
                "--trace-config=level=TENSORS",
                "--trace-config=triton,log-frequency=7"))) {
      for (String body :
          new String[] {
            "{\"log_verbose_level\":0}",
            "{\"log_verbose_level\":3}",
            "{\"log_error\":true}",
            "{\"log_error\":false}"
          }) {
        assertThat(server.post("/v2/logging", body).status()).as(body).isEqualTo(200);
      }
      server.refuses(
          "/v2/logging",
          "{\"log_verbose_level\":4}",
          "'log_verbose_level' 4: clients may set at most 3" + UNLESS);
      for (String level : new String[] {"OFF", "TENSORS"}) {
        server.trace("", "trace_level", level);
        server.trace("m", "trace_level", level);
      }
      server.trace("m", "log_frequency", "7");
      server.refuses(
          "/v2/trace/setting",
          "{\"log_frequency\":\"6\"}",
          "'log_frequency' 6: clients may not have fewer than 7 traces in a file" + UNLESS);
    }
  }
}
