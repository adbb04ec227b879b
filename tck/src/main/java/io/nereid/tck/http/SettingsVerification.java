package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The settings of log and traces. What a test changes it changes back. */
public abstract class SettingsVerification extends HttpVerification {
  private static final String LOG = "/v2/logging";
  private static final String EMPTY =
      "failed to parse the request JSON buffer: The document is empty. at 0";
  private static final String TRACE = "/v2/trace/setting";

  private static Map<?, ?> settings(HttpWire.Response response) {
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    return Json.object(response.body());
  }

  @Test
  @Rule("HTTP-LOG-01")
  void readsTheSettingsOfTheLog() {
    assertThat(settings(get(LOG)).keySet().stream().map(String::valueOf))
        .containsExactly(
            "log_file", "log_info", "log_warning", "log_error", "log_verbose_level", "log_format");
    assertThat(settings(post(LOG, "{}"))).isEqualTo(settings(get(LOG)));
  }

  @Test
  @Rule("HTTP-LOG-02")
  void changesASettingOfTheLog() {
    Object before = settings(get(LOG)).get("log_verbose_level");

    var changed = settings(post(LOG, "{\"log_verbose_level\":1}"));

    assertThat(Objects.requireNonNull((Number) changed.get("log_verbose_level")).intValue())
        .isEqualTo(1);
    assertThat(settings(post(LOG, "{\"log_verbose_level\":" + before + "}")))
        .isEqualTo(settings(get(LOG)));
  }

  @Test
  @Rule("HTTP-LOG-03")
  void keepsTheFileOfTheLog() {
    var response = post(LOG, "{\"log_file\":\"other.log\"}");

    assertThat(response.status()).isEqualTo(501);
    assertThat(response.text())
        .contains("log file location can not be updated through network protocol");
  }

  @Test
  @Rule("HTTP-LOG-04")
  void refusesLogSettingsOfAnotherTypeAndAnEmptyRequest() {
    rejected(post(LOG, ""), 500, EMPTY);
    rejected(post(LOG, "{\"log_info\":1}"), 500, "attempt to access JSON non-boolean as boolean");
    rejected(
        post(LOG, "{\"log_verbose_level\":-1}"),
        500,
        "attempt to access JSON non-unsigned-integer as unsigned-integer");
    rejected(
        post(LOG, "{\"log_format\":\"iso\"}"), 503, "invalid argument for --log_format, got: iso");
  }

  @Test
  @Rule("HTTP-LOG-06")
  void changesSettingsOfTheLogInTheirOrderUntilOneFails() {
    var before = settings(get(LOG));

    rejected(
        post(LOG, "{\"log_format\":\"iso\",\"log_verbose_level\":1}"),
        503,
        "invalid argument for --log_format, got: iso");

    assertThat(settings(get(LOG)).get("log_verbose_level")).hasToString("1");
    String restored =
        "{\"log_verbose_level\":%s,\"log_info\":null,\"log_file\":null}"
            .formatted(before.get("log_verbose_level"));
    assertThat(settings(post(LOG, restored))).isEqualTo(before);
  }

  @Test
  @Rule("HTTP-TRACE-01")
  void readsTheSettingsOfTracesAsTexts() {
    for (String target : List.of(TRACE, "/v2/models/simple/trace/setting")) {
      var settings = settings(get(target));

      assertThat(Json.list(settings, "trace_level")).isNotEmpty();
      for (String name : List.of("trace_rate", "trace_count", "trace_mode")) {
        assertThat(settings.get(name)).as(name).isInstanceOf(String.class);
      }
    }
  }

  @Test
  @Rule("HTTP-TRACE-02")
  void changesASettingOfTracesForAModelUntilItIsCleared() {
    String model = "/v2/models/simple/trace/setting";
    Object before = settings(get(TRACE)).get("trace_rate");

    assertThat(settings(post(model, "{\"trace_rate\":\"77\"}")).get("trace_rate")).isEqualTo("77");
    assertThat(settings(get(TRACE)).get("trace_rate")).isEqualTo(before);
    String other = "/v2/models/two_versions/trace/setting";
    assertThat(settings(post(TRACE, "{\"trace_rate\":\"55\"}")).get("trace_rate")).isEqualTo("55");
    assertThat(settings(get(other)).get("trace_rate")).isEqualTo("55");
    assertThat(settings(get(model)).get("trace_rate")).isEqualTo("77");
    assertThat(settings(post(TRACE, "{\"trace_rate\":\"%s\"}".formatted(before))).get("trace_rate"))
        .isEqualTo(before);
    assertThat(settings(post(model, "{\"trace_rate\":null}")).get("trace_rate")).isEqualTo(before);
    assertThat(settings(post(TRACE, "{\"unknown\":1}"))).isEqualTo(settings(get(TRACE)));
  }

  @Test
  @Rule("HTTP-TRACE-03")
  void refusesSettingsOfTracesWithTheirTexts() {
    assertThat(post(TRACE, "{\"trace_file\":\"f\"}").status()).isEqualTo(501);
    assertThat(post(TRACE, "{\"trace_file\":\"f\"}").text())
        .contains("trace file location can not be updated through network protocol");
    rejected(
        post(TRACE, "{\"trace_level\":[\"OFF\",\"TENSORS\"]}"),
        "Expect only one trace level 'OFF' is specified");
    rejected(post(TRACE, "{\"trace_rate\":\"x\"}"), "Unable to parse 'trace_rate', got: x");
    rejected(
        post(TRACE, "{\"trace_count\":\"-2\"}"),
        "Unable to parse 'trace_count'. Expecting value >= -1, got:-2");
  }

  @Test
  @Rule("HTTP-TRACE-04")
  void refusesTraceSettingsOfAnotherTypeAndAnEmptyRequest() {
    rejected(post(TRACE, ""), 500, EMPTY);
    rejected(
        post(TRACE, "{\"trace_level\":\"OFF\"}"), 500, "attempt to access JSON non-array as array");
    rejected(post(TRACE, "{\"trace_rate\":1}"), 500, "attempt to access JSON non-string as string");
  }
}
