package io.nereid.tck.command.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.tck.RuleCatalog.Entry;
import io.nereid.tck.RuleCatalog.Level;
import io.nereid.tck.support.WireMessage;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** A run of four rules, with every verdict. */
public final class SampleRun {
  private static final ReportedServer SERVER =
      new ReportedServer("sample", "1.2", List.of("classification"), "http://localhost:8000");

  private SampleRun() {}

  public static RunReport report() {
    return withMessages(2);
  }

  /** The run with so many messages of each case. */
  static RunReport withMessages(int count) {
    var messages = Collections.nCopies(count / 2, List.of(sent(), received())).stream();
    List<WireMessage> all = messages.flatMap(List::stream).toList();
    return of(
        new RuleResult(
            rule("HTTP-HEALTH-01", "REQUIRED"), List.of(passed("a", all), passed("b", all))),
        new RuleResult(rule("HTTP-HEALTH-09", "UNTESTED"), List.of()),
        new RuleResult(rule("HTTP-INFER-01", "REQUIRED"), List.of(failed("adds", all))),
        new RuleResult(
            rule("HTTP-INFER-02", "OPTIONAL"),
            List.of(
                CaseResult.skipped("repeats", "the server has no model 'repeat': 404 to ready"))));
  }

  static RunReport of(RuleResult... rules) {
    return new RunReport("0.1", Instant.EPOCH, 1500, SERVER, List.of(rules));
  }

  static Entry rule(String id, String level) {
    String reason = level.equals("UNTESTED") ? "too slow" : "";
    return new Entry(id, Level.valueOf(level), "RFC 9112 §9.3", "It is <so> & \"so\".", reason);
  }

  static CaseResult passed(String name) {
    return passed(name, List.of());
  }

  private static CaseResult passed(String name, List<WireMessage> messages) {
    return new CaseResult(name, Verdict.PASSED, 12, "", Optional.empty(), messages);
  }

  static CaseResult failed(String name) {
    return failed(name, List.of());
  }

  private static CaseResult failed(String name, List<WireMessage> messages) {
    var failure =
        new Failure(
            "expected: \"[0, 2, 4]\" but was: \"[0, 2, 5]\" </script>\u0001",
            "[0, 2, 4]",
            "[0, 2, 5]",
            "HttpInferVerification.adds:61");
    return new CaseResult(name, Verdict.FAILED, 1200, "", Optional.of(failure), messages);
  }

  private static WireMessage sent() {
    byte[] bytes = "POST".getBytes(UTF_8);
    return new WireMessage(true, "POST /v2/models/simple/infer", "simple", bytes, 4, "");
  }

  private static WireMessage received() {
    byte[] bytes = "HTTP/1.1 200 OK\r\n\r\n{}".getBytes(UTF_8);
    return new WireMessage(false, "POST /v2/models/simple/infer", "", bytes, bytes.length, "");
  }
}
