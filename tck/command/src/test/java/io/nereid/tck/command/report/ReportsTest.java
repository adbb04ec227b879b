package io.nereid.tck.command.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.support.Json;
import io.nereid.tck.support.WireMessage;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class ReportsTest {
  private final RunReport report = SampleRun.report();

  private static Map<?, ?> rule(String json, String id) {
    return Json.list(Json.parse(json.getBytes(UTF_8)), "rules").stream()
        .map(Json::object)
        .filter(rule -> id.equals(rule.get("id")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void jsonHasEachRuleWithItsVerdictAndTheMessagesOfAFailure() {
    String json = JsonReport.of(report);

    Json.assertHas(
        rule(json, "HTTP-INFER-01"),
        """
        {"area":"HTTP-INFER","level":"required","verdict":"failed","cases":[{"verdict":"failed",
          "expected":"[0, 2, 4]","actual":"[0, 2, 5]","place":"HttpInferVerification.adds:61",
          "messages":[{"sent":true,"call":"POST /v2/models/simple/infer","size":4},{"sent":false}]}]}
        """);
    Json.assertHas(
        rule(json, "HTTP-INFER-02"),
        """
        {"verdict":"skipped","reason":"the server has no model 'repeat': 404 to ready"}
        """);
    Json.assertHas(
        rule(json, "HTTP-HEALTH-09"), "{\"verdict\":\"untested\",\"reason\":\"too slow\"}");
  }

  @Test
  void jsonKeepsTheLastMessagesOfAFailureAndTwoOfAFirstPass() {
    String json = JsonReport.of(SampleRun.withMessages(20));

    Map<?, ?> failed = Json.object(Json.list(rule(json, "HTTP-INFER-01"), "cases").getFirst());
    assertThat(Json.list(failed, "messages")).hasSize(8);
    assertThat(Json.number(failed, "omitted")).isEqualTo(12);
    List<?> passed = Json.list(rule(json, "HTTP-HEALTH-01"), "cases");
    assertThat(Json.list(passed.getFirst(), "messages")).hasSize(2);
    assertThat(Json.object(passed.getLast()).containsKey("messages")).isFalse();
  }

  @Test
  void junitHasASuiteForEachAreaAndACaseForEachCase() throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(JUnitReport.of(report).getBytes(UTF_8)));

    var suites = document.getElementsByTagName("testsuite");
    assertThat(suites.getLength()).isEqualTo(2);
    Element infer = (Element) suites.item(1);
    assertThat(infer.getAttribute("name")).isEqualTo("HTTP-INFER");
    assertThat(infer.getAttribute("tests")).isEqualTo("2");
    assertThat(infer.getAttribute("failures")).isEqualTo("1");
    assertThat(infer.getAttribute("skipped")).isEqualTo("1");
    assertThat(document.getElementsByTagName("failure").item(0).getTextContent())
        .contains("expected: \"[0, 2, 4]\"", "\ufffd"); // a control character, which XML lacks
  }

  @Test
  void theTableCountsByAreaAndLevel() {
    assertThat(VerdictTable.of(report).lines())
        .anySatisfy(line -> assertThat(line).matches("HTTP-HEALTH +1 +\\. +\\. +\\. +\\. +\\. +1"))
        .anySatisfy(line -> assertThat(line).matches("HTTP-INFER +\\. +1 +\\. +\\. +\\. +1 +\\."))
        .anySatisfy(line -> assertThat(line).matches("all +1 +1 +\\. +\\. +\\. +1 +1"));
  }

  @Test
  void longTextsAreCut() {
    assertThat(WireMessage.limited("x".repeat(8192))).hasSize(8192);
    assertThat(WireMessage.limited("x".repeat(8193))).hasSize(8193).endsWith("x…");
    assertThat(SampleRun.passed("x".repeat(9000)).name()).endsWith("…");
    assertThat(new Failure("x".repeat(9000), "", "", "").message()).endsWith("…");
  }

  @Test
  void aRuleWithASkippedCaseDoesNotPassAndOneWithAFailedCaseFails() {
    var required = SampleRun.rule("A-1", "REQUIRED");
    var passed = SampleRun.passed("a");
    var skipped = CaseResult.skipped("b", "no model");

    assertThat(new RuleResult(required, List.of(passed)).verdict()).isEqualTo(Verdict.PASSED);
    assertThat(new RuleResult(required, List.of(passed, skipped)).verdict())
        .isEqualTo(Verdict.SKIPPED);
    assertThat(new RuleResult(required, List.of(passed, skipped)).reason()).isEqualTo("no model");
    assertThat(new RuleResult(required, List.of(skipped, SampleRun.failed("c"))).verdict())
        .isEqualTo(Verdict.FAILED);
    assertThat(new RuleResult(required, List.of()).verdict()).isEqualTo(Verdict.SKIPPED);
  }

  @Test
  void failedRequiredRulesDecideAndOptionalOnesWhereNoneIsRequired() {
    var required =
        new RuleResult(SampleRun.rule("A-1", "REQUIRED"), List.of(SampleRun.passed("a")));
    var skipped = new RuleResult(SampleRun.rule("A-2", "REQUIRED"), List.of());
    var optional =
        new RuleResult(SampleRun.rule("A-3", "OPTIONAL"), List.of(SampleRun.failed("a")));

    assertThat(SampleRun.of(required).conforms()).isTrue();
    assertThat(SampleRun.of(required, optional).conforms()).isTrue();
    assertThat(SampleRun.of(required, skipped).conforms()).isTrue();
    assertThat(SampleRun.of(required, skipped).undecided()).isEqualTo(1);
    assertThat(SampleRun.of(skipped).conforms()).isFalse();
    assertThat(SampleRun.of(required).sentence())
        .isEqualTo("sample 1.2 conforms: 1 required rules passed, 0 failed, 0 were skipped.");
    assertThat(SampleRun.of(required, optional).sentence())
        .endsWith(" 0 were skipped; of the optional ones that apply 0 passed, 1 failed.");
    assertThat(SampleRun.of(required, skipped).sentence())
        .startsWith("sample 1.2 conforms as far as it was verified: 1 required rules passed");
    assertThat(SampleRun.of(optional).sentence())
        .isEqualTo(
            "sample 1.2 does not conform: 0 optional rules passed, 1 failed, 0 were skipped.");
    assertThat(SampleRun.of(optional).conforms()).isFalse();
    assertThat(SampleRun.of().conforms()).isFalse();
  }

  @Test
  void aPageHasItsDataAndLoadsNothing() {
    String page = Page.ofRun(JsonReport.of(report));

    assertThat(page)
        .contains("HTTP-INFER-01", "\\u003c/script>") // which a failure's text has
        .doesNotContain("http-equiv", "src=", "<link rel=\"stylesheet", "/*DATA*/", "/*STYLE*/");
    assertThat(page.split("</script>", -1)).hasSize(3);
  }

  @Test
  void aMatrixHasTheDataOfAllRuns() {
    String json = JsonReport.of(report);

    assertThat(Page.ofRuns(List.of(json, json)).split("\"HTTP-INFER-01\"", -1)).hasSize(3);
  }
}
