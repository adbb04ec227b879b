package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.util.List;
import java.util.Map;

/** The settings of log and traces. What a test changes it changes back. */
public abstract class HttpSettingsVerification extends HttpVerification {
  private static final String LOG = "/v2/logging";
  private static final String TRACE = "/v2/trace/setting";

  private static Map<?, ?> settings(HttpWire.Response response) {
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    return Json.object(response.body());
  }

  private static Object rate(HttpWire.Response response) {
    return Json.member(settings(response), "trace_rate");
  }

  @Rule("HTTP-LOG-01")
  void readsTheSettingsOfTheLog() {
    assertThat(settings(get(LOG)).keySet().stream().map(String::valueOf))
        .containsExactly(
            "log_file", "log_info", "log_warning", "log_error", "log_verbose_level", "log_format");
    assertThat(settings(post(LOG, "{}"))).isEqualTo(settings(get(LOG)));
  }

  @Rule("HTTP-LOG-02")
  void changesASettingOfTheLog() {
    Object before = settings(get(LOG)).get("log_verbose_level");

    var changed = settings(post(LOG, "{\"log_verbose_level\":1}"));

    assertThat(Json.number(changed, "log_verbose_level")).isEqualTo(1);
    assertThat(settings(post(LOG, "{\"log_verbose_level\":" + before + "}")))
        .isEqualTo(settings(get(LOG)));
  }

  @RuleTable(
      """
      HTTP-LOG-03   | /v2/logging       | {"log_file":"other.log"}          | 501 | log file location can not be updated through network protocol
      HTTP-LOG-04   | /v2/logging       | ``                                | 500 | failed to parse the request JSON buffer: The document is empty. at 0
      HTTP-LOG-04   | /v2/logging       | {"log_info":1}                    | 500 | attempt to access JSON non-boolean as boolean
      HTTP-LOG-04   | /v2/logging       | {"log_verbose_level":-1}          | 500 | attempt to access JSON non-unsigned-integer as unsigned-integer
      HTTP-LOG-04   | /v2/logging       | {"log_format":"iso"}              | 503 | invalid argument for --log_format, got: iso
      HTTP-TRACE-03 | /v2/trace/setting | {"trace_file":"f"}                | 501 | trace file location can not be updated through network protocol
      HTTP-TRACE-03 | /v2/trace/setting | {"trace_level":["OFF","TENSORS"]} | 400 | Expect only one trace level 'OFF' is specified
      HTTP-TRACE-03 | /v2/trace/setting | {"trace_rate":"x"}                | 400 | Unable to parse 'trace_rate', got: x
      HTTP-TRACE-03 | /v2/trace/setting | {"trace_count":"-2"}              | 400 | Unable to parse 'trace_count'. Expecting value >= -1, got:-2
      HTTP-TRACE-04 | /v2/trace/setting | ``                                | 500 | failed to parse the request JSON buffer: The document is empty. at 0
      HTTP-TRACE-04 | /v2/trace/setting | {"trace_level":"OFF"}             | 500 | attempt to access JSON non-array as array
      HTTP-TRACE-04 | /v2/trace/setting | {"trace_rate":1}                  | 500 | attempt to access JSON non-string as string
      """)
  void refusesSettings(String target, String json, int status, String text) {
    rejected(post(target, json), status, text);
  }

  @Rule("HTTP-LOG-06")
  void changesSettingsOfTheLogInTheirOrderUntilOneFails() {
    var before = settings(get(LOG));

    var half = post(LOG, "{\"log_format\":\"iso\",\"log_verbose_level\":1}");
    rejected(half, 503, "invalid argument for --log_format, got: iso");

    assertThat(settings(get(LOG)).get("log_verbose_level")).hasToString("1");
    String restored =
        "{\"log_verbose_level\":%s,\"log_info\":null,\"log_file\":null}"
            .formatted(before.get("log_verbose_level"));
    assertThat(settings(post(LOG, restored))).isEqualTo(before);
  }

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

  @Rule("HTTP-TRACE-02")
  void changesASettingOfTracesForAModelUntilItIsCleared() {
    String model = "/v2/models/simple/trace/setting";
    Object before = rate(get(TRACE));
    assertThat(rate(post(model, "{\"trace_rate\":\"77\"}"))).isEqualTo("77");
    assertThat(rate(get(TRACE))).isEqualTo(before);
    assertThat(rate(post(TRACE, "{\"trace_rate\":\"55\"}"))).isEqualTo("55");
    assertThat(rate(get("/v2/models/two_versions/trace/setting"))).isEqualTo("55");
    assertThat(rate(get(model))).isEqualTo("77");
    assertThat(rate(post(TRACE, "{\"trace_rate\":\"%s\"}".formatted(before)))).isEqualTo(before);
    assertThat(rate(post(model, "{\"trace_rate\":null}"))).isEqualTo(before);
    assertThat(settings(post(TRACE, "{\"unknown\":1}"))).isEqualTo(settings(get(TRACE)));
  }
}
