package io.nereid.server.telemetry.logging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.LogSettingsRequest;
import io.nereid.protocol.inference.LogSettingsRequest.SettingValue;
import io.nereid.protocol.inference.LogSettingsResponse;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Log settings on both protocols. Sources: Triton, protocol documentation, extension_logging.md; QA
 * L0_logging; src/http_server.cc and src/grpc/grpc_server.cc for texts.
 */
@Timeout(60)
class LogSettingsServerTest {
  private static final String DEFAULTS =
      "{\"log_file\":\"\",\"log_info\":true,\"log_warning\":true,\"log_error\":true,"
          + "\"log_verbose_level\":0,\"log_format\":\"default\"}";

  private LocalServer server;
  private HttpWire wire;
  private GRPCInferenceServiceBlockingStub grpc;

  @BeforeEach
  void start(@TempDir Path empty) throws IOException {
    server =
        new LocalServer(
            LocalServer.options(empty, "--client-settings=all"), new CheckedBufferPool());
    wire = new HttpWire(server.http());
    grpc = GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
  }

  @AfterEach
  void stop() {
    wire.close();
    server.close();
  }

  private HttpWire.Response send(String method, String body) {
    return wire.send(method, "/v2/logging", body.getBytes(UTF_8), Map.of());
  }

  private LogSettingsResponse call(String name, Consumer<SettingValue.Builder> value) {
    var setting = SettingValue.newBuilder();
    value.accept(setting);
    return grpc.logSettings(
        LogSettingsRequest.newBuilder().putSettings(name, setting.build()).build());
  }

  @Test
  void theSettingsOfTheStartAreReadByBoth() {
    assertThat(send("GET", "").text()).isEqualTo(DEFAULTS);
    var settings = grpc.logSettings(LogSettingsRequest.getDefaultInstance());
    assertThat(settings.getSettingsCount()).isEqualTo(6);
    assertThat(settings.getSettingsOrThrow("log_file").getStringParam()).isEmpty();
    assertThat(settings.getSettingsOrThrow("log_info").getBoolParam()).isTrue();
    assertThat(settings.getSettingsOrThrow("log_warning").getBoolParam()).isTrue();
    assertThat(settings.getSettingsOrThrow("log_error").getBoolParam()).isTrue();
    assertThat(settings.getSettingsOrThrow("log_verbose_level").getUint32Param()).isZero();
    assertThat(settings.getSettingsOrThrow("log_verbose_level").hasUint32Param()).isTrue();
    assertThat(settings.getSettingsOrThrow("log_format").getStringParam()).isEqualTo("default");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"{}", "{\"other\":1}", "{\"log_file\":null,\"log_info\":null}"})
  void aRequestWithoutASettingReadsThem(String body) {
    HttpWire.Response response = send("POST", body);

    assertThat(response.status()).isEqualTo(200);
    assertThat(response.text()).isEqualTo(DEFAULTS);
  }

  @Test
  void eachSettingChangesAloneAndForBothProtocols() {
    assertThat(send("POST", "{\"log_info\":false,\"log_verbose_level\":3}").text())
        .isEqualTo(
            DEFAULTS
                .replace("\"log_info\":true", "\"log_info\":false")
                .replace("level\":0", "level\":3"));
    var settings = call("log_format", value -> value.setStringParam("ISO8601"));
    assertThat(settings.getSettingsOrThrow("log_info").getBoolParam()).isFalse();
    assertThat(settings.getSettingsOrThrow("log_verbose_level").getUint32Param()).isEqualTo(3);
    assertThat(settings.getSettingsOrThrow("log_format").getStringParam()).isEqualTo("ISO8601");
    call("log_warning", value -> value.setBoolParam(false));
    call("log_error", value -> value.setBoolParam(false));
    call("log_info", value -> value.setBoolParam(true));
    call("log_verbose_level", value -> value.setUint32Param(1));

    assertThat(send("GET", "").text())
        .isEqualTo(
            "{\"log_file\":\"\",\"log_info\":true,\"log_warning\":false,\"log_error\":false,"
                + "\"log_verbose_level\":1,\"log_format\":\"ISO8601\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"log_file\":\"a\"}|501|log file location can not be updated through network protocol",
        "''|500|failed to parse the request JSON buffer: The document is empty. at 0",
        "{\"log_info\":1}|500|attempt to access JSON non-boolean as" + " boolean",
        "{\"log_verbose_level\":-1}|500|attempt to access JSON"
            + " non-unsigned-integer as unsigned-integer",
        "{\"log_verbose_level\":2147483648}|400|expect int32 for 'log_verbose_level'",
        "{\"log_format\":\"iso\"}|503|invalid argument for --log_format, got: iso",
        "{\"log_format\":7}|500|attempt to access JSON non-string as" + " string"
      })
  void whatIsNoSettingIsRefusedOverHttp(String body, int status, String text) {
    HttpWire.Response response = send("POST", body);

    assertThat(response.status()).isEqualTo(status);
    assertThat(response.text()).isEqualTo("{\"error\":\"" + text + "\"}");
    assertThat(send("GET", "").text()).isEqualTo(DEFAULTS);
  }

  @Test
  void whatStandsBeforeARefusedSettingIsApplied() {
    assertThat(send("POST", "{\"log_format\":\"iso\",\"log_info\":false}").status()).isEqualTo(503);

    assertThat(send("GET", "").text()).contains("\"log_info\":false");
  }

  @Test
  void whatIsNoSettingIsRefusedOverGrpc() {
    assertRefused(
        "log_file",
        value -> value.setStringParam(""),
        Status.Code.UNIMPLEMENTED,
        "log file location can not be updated through network protocol");
    for (String name : new String[] {"log_info", "log_warning", "log_error"}) {
      assertRefused(
          name,
          value -> value.setUint32Param(1),
          Status.Code.INVALID_ARGUMENT,
          "expect boolean for '" + name + "'");
    }
    assertRefused(
        "log_verbose_level",
        value -> value.setBoolParam(true),
        Status.Code.INVALID_ARGUMENT,
        "expect int32 for 'log_verbose_level'");
    assertRefused(
        "log_format", _ -> {}, Status.Code.INVALID_ARGUMENT, "expect string for 'log_format'");
    assertRefused(
        "log_format",
        value -> value.setStringParam("iso8601"),
        Status.Code.INVALID_ARGUMENT,
        "invalid argument for log_format, got: iso8601");
  }

  private void assertRefused(
      String name, Consumer<SettingValue.Builder> value, Status.Code code, String text) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> call(name, value))
        .satisfies(refused -> {
          assertThat(refused.getStatus().getCode()).isEqualTo(code);
          assertThat(refused.getStatus().getDescription()).isEqualTo(text);
        });
  }

  @Test
  void otherMethodsAreRefused() {
    assertThat(send("PUT", "").status()).isEqualTo(405);
    assertThat(send("PUT", "").header("Allow")).isEqualTo("GET, POST");
  }

  @Test
  void theExtensionIsListed() {
    assertThat(wire.send("GET", "/v2", new byte[0], Map.of()).text()).contains("\"logging\"]");
  }
}
