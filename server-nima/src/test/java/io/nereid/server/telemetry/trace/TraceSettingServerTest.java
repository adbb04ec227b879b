package io.nereid.server.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.testing.LogCapture;
import io.nereid.protocol.inference.TraceSettingRequest;
import io.nereid.server.LocalServer;
import io.nereid.server.NereidServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The trace settings on both protocols. Sources: Triton, protocol documentation,
 * extension_trace.md, user_guide/trace.md; QA L0_trace; src/http_server.cc and
 * src/grpc/grpc_server.cc for texts.
 */
@Timeout(60)
class TraceSettingServerTest {
  private TracedServer server;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    server = new TracedServer(folder);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private String text(String path) {
    return server.wire().send("GET", path, new byte[0], Map.of()).text();
  }

  private static String settings(String level, String rate, String count, String file) {
    return ("{\"trace_level\":[%s],\"trace_rate\":\"%s\",\"trace_count\":\"%s\","
            + "\"log_frequency\":\"0\",\"trace_file\":\"%s\",\"trace_mode\":\"triton\"}")
        .formatted(level, rate, count, file);
  }

  @Test
  void theSettingsOfTheStartAreReadByBoth() {
    String expected = settings("\"OFF\"", "1", "-1", server.file().toString());

    assertThat(text("/v2/trace/setting")).isEqualTo(expected);
    assertThat(text("/v2/models/m/trace/setting")).isEqualTo(expected);
    assertThat(server.post("/v2/trace/setting", "{}").text()).isEqualTo(expected);
    var settings = server.grpc().traceSetting(TraceSettingRequest.getDefaultInstance());
    assertThat(settings.getSettingsCount()).isEqualTo(6);
    assertThat(settings.getSettingsOrThrow("trace_level").getValueList()).containsExactly("OFF");
    assertThat(settings.getSettingsOrThrow("trace_rate").getValueList()).containsExactly("1");
    assertThat(settings.getSettingsOrThrow("trace_count").getValueList()).containsExactly("-1");
    assertThat(settings.getSettingsOrThrow("log_frequency").getValueList()).containsExactly("0");
    assertThat(settings.getSettingsOrThrow("trace_file").getValueList())
        .containsExactly(server.file().toString());
    assertThat(settings.getSettingsOrThrow("trace_mode").getValueList()).containsExactly("triton");
  }

  @Test
  void settingsOfAModelAreItsOwnUntilTheyAreCleared() {
    String levels = "\"TIMESTAMPS\",\"TENSORS\"";
    assertThat(
            server
                .post("/v2/models/m/trace/setting", "{\"trace_level\":[%s]}".formatted(levels))
                .text())
        .isEqualTo(settings(levels, "1", "-1", server.file().toString()));
    assertThat(text("/v2/trace/setting")).contains("[\"OFF\"]");

    server.call("", "trace_rate", "7");
    server.call("m", "trace_count", "3");
    assertThat(text("/v2/models/m/trace/setting"))
        .isEqualTo(settings(levels, "7", "3", server.file().toString()));
    server.call("m", "trace_level");
    server.call("m", "trace_count");

    assertThat(server.post("/v2/trace/setting", "{\"trace_rate\":null}").text())
        .isEqualTo(settings("\"OFF\"", "1", "-1", server.file().toString()));
    assertThat(text("/v2/models/m/trace/setting"))
        .isEqualTo(settings("\"OFF\"", "1", "-1", server.file().toString()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|500|failed to parse the request JSON buffer: The document is empty. at 0",
        "{\"trace_file\":\"a\"}|501|trace file location can not be updated through network protocol",
        "{\"trace_level\":[\"OFF\",\"TENSORS\"]}|400|Expect only one trace level 'OFF' is specified",
        "{\"trace_rate\":\"many\"}|400|Unable to parse 'trace_rate', got: many",
        "{\"trace_rate\":\"12x\"}|400|Unable to parse 'trace_rate', got: 12x",
        "{\"trace_rate\":\" 1\"}|400|Unable to parse 'trace_rate', got:  1",
        "{\"trace_rate\":\"-1\"}|400|Unable to parse 'trace_rate', value is out of range [ 0,"
            + " 4294967295 ], got: -1",
        "{\"log_frequency\":\"-1\"}|400|Unable to parse 'log_frequency', value is out of range [ 0,"
            + " 4294967295 ], got: -1",
        "{\"trace_count\":\"12x\"}|400|Unable to parse 'trace_count', got: 12x",
        "{\"trace_rate\":\"10000000000\"}|400|Unable to parse 'trace_rate', value is out of range"
            + " [ 0, 4294967295 ], got: 10000000000",
        "{\"log_frequency\":\"10000000000\"}|400|Unable to parse 'log_frequency', value is out of"
            + " range [ 0, 4294967295 ], got: 10000000000",
        "{\"trace_count\":\"10000000000\"}|400|Unable to parse 'trace_count', value is out of range"
            + " [ -1, 2147483647 ], got: 10000000000",
        "{\"trace_count\":\"-2\"}|400|Unable to parse 'trace_count'. Expecting value >= -1, got:-2",
        "{\"trace_rate\":1}|500|attempt to access JSON non-string as" + " string",
        "{\"trace_level\":[\"TIMESTAMPS\"],\"trace_rate\":\"0\"}|400|Attempting to set invalid trace"
            + " setting :sample rate must be non-zero"
      })
  void whatIsNoSettingIsRefusedOverHttp(String body, int status, String text) {
    HttpWire.Response response = server.post("/v2/trace/setting", body);

    assertThat(response.text()).isEqualTo("{\"error\":\"" + text + "\"}");
    assertThat(response.status()).isEqualTo(status);
  }

  @Test
  void whatIsNoSettingIsRefusedOverGrpc() {
    assertRefused(
        Status.Code.UNIMPLEMENTED,
        "trace file location can not be updated through network protocol",
        () -> server.call("", "trace_file", "a"));
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        "expect only 1 value for 'trace_rate'",
        () -> server.call("", "trace_rate", "1", "2"));
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        "Unable to parse 'trace_count'. Expecting value >= -1, got: -2",
        () -> server.call("", "trace_count", "-2"));
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        "Unable to parse 'trace_rate', got: 12x",
        () -> server.call("", "trace_rate", "12x"));
    assertRefused(
        Status.Code.INVALID_ARGUMENT,
        "Unable to parse 'trace_rate', value is out of range [ 0, 4294967295 ], got: -1",
        () -> server.call("", "trace_rate", "-1"));
    assertRefused(
        Status.Code.NOT_FOUND,
        "Request for unknown model: 'none' is not found",
        () -> server.call("none", "trace_rate", "1"));
  }

  private static void assertRefused(Status.Code code, String text, Runnable call) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(call::run)
        .satisfies(refused -> {
          assertThat(refused.getStatus().getCode()).isEqualTo(code);
          assertThat(refused.getStatus().getDescription()).isEqualTo(text);
        });
  }

  @Test
  void ratesAndFrequenciesMayHave32Bits() {
    assertThat(
            server
                .post(
                    "/v2/trace/setting",
                    "{\"trace_rate\":\"4294967295\",\"log_frequency\":\"2147483648\"}")
                .text())
        .contains("\"trace_rate\":\"4294967295\"", "\"log_frequency\":\"2147483648\"");
    assertThat(
            server
                .call("", "trace_rate", "2147483648")
                .getSettingsOrThrow("trace_rate")
                .getValueList())
        .containsExactly("2147483648");
  }

  @Test
  void unknownLevelsAreIgnored() {
    for (String levels : List.of("\"ALL\",\"TENSORS\"", "\"ALL\"")) {
      assertThat(
              server.post("/v2/trace/setting", "{\"trace_level\":[%s]}".formatted(levels)).text())
          .as(levels)
          .contains("\"trace_level\":[\"TENSORS\"]");
    }
    for (String[] levels : List.of(new String[] {"TIMESTAMPS", "MIN"}, new String[] {"MIN"})) {
      assertThat(
              server
                  .call("", "trace_level", levels)
                  .getSettingsOrThrow("trace_level")
                  .getValueList())
          .containsExactly("TIMESTAMPS");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--trace-config=rate=1, trace file name is not given",
    "--trace-config=rate=0, sample rate must be non-zero"
  })
  void aServerThatCannotTraceSaysSoAtItsStart(String option, String reason) throws IOException {
    var options = LocalServer.options(server.models(), "--trace-config=level=TIMESTAMPS", option);
    try (var log = new LogCapture(NereidServer.class.getName());
        var _ = new LocalServer(options, new CheckedBufferPool())) {
      assertThat(log.messages()).contains("no request is traced: " + reason);
    }
  }

  @Test
  void onlyTheServerAndItsModelsHaveSettings() {
    assertThat(
            server
                .wire()
                .send("GET", "/v2/models/m/versions/1/trace/setting", new byte[0], Map.of())
                .status())
        .isEqualTo(404);
    HttpWire.Response unknown =
        server.wire().send("GET", "/v2/models/none/trace/setting", new byte[0], Map.of());
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(text("/v2")).contains("\"trace\",\"logging\"]");
  }
}
