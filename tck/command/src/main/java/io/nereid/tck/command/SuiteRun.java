package io.nereid.tck.command;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.nereid.tck.RuleCatalog;
import io.nereid.tck.RuleCatalog.Entry;
import io.nereid.tck.RuleCatalog.Level;
import io.nereid.tck.command.report.CaseResult;
import io.nereid.tck.command.report.RuleResult;
import io.nereid.tck.command.report.RunReport;
import io.nereid.tck.command.tested.Tested;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the tests of chosen rules on the thread that calls it. */
final class SuiteRun {
  private SuiteRun() {}

  /** The rules that a suite tests, and the untested ones of the same areas. */
  static List<Entry> rules(Class<?> suite) {
    Set<String> tested = RuleCatalog.rulesOf(suite);
    Set<String> areas = tested.stream().map(RuleCatalog::areaOf).collect(Collectors.toSet());
    return RuleCatalog.load().entries().values().stream()
        .filter(rule ->
            rule.level() == Level.UNTESTED
                ? areas.contains(RuleCatalog.areaOf(rule.id()))
                : tested.contains(rule.id()))
        .toList();
  }

  /** Runs the tests of these rules, and tells {@code progress} of each result. */
  static RunReport run(List<Entry> rules, Tested tested, Progress progress) {
    Set<String> chosen = rules.stream().map(Entry::id).collect(Collectors.toSet());
    Map<String, List<CaseResult>> results = new HashMap<>();
    var listener =
        new RuleListener(
            tested,
            chosen,
            (ids, result) -> {
              for (String id : ids) {
                if (chosen.contains(id)) {
                  CaseResult counted = tested.counted(id, result);
                  results.computeIfAbsent(id, _ -> new ArrayList<>()).add(counted);
                  progress.add(id, counted);
                }
              }
            });
    Instant start = Instant.now();
    long startNanos = System.nanoTime();
    PostDiscoveryFilter filter = test -> FilterResult.includedIf(isOf(test, chosen));
    tested.run(suite -> LauncherFactory.create().execute(request(suite, filter), listener));
    long millis = NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    return new RunReport(
        version(),
        start,
        millis,
        tested.identity(),
        rules.stream()
            .map(rule ->
                new RuleResult(rule, tested.decisive(results.getOrDefault(rule.id(), List.of()))))
            .toList());
  }

  private static LauncherDiscoveryRequest request(Class<?> suite, PostDiscoveryFilter filter) {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(selectClass(suite))
        .filters(filter)
        .build();
  }

  private static boolean isOf(TestDescriptor test, Set<String> chosen) {
    return test.getSource()
        .filter(MethodSource.class::isInstance)
        .map(source -> RuleCatalog.rulesOf(((MethodSource) source).getJavaMethod()))
        .map(rules -> rules.stream().anyMatch(chosen::contains))
        .orElse(true);
  }

  /** The kit's version, in the manifest of its jar. */
  static String version() {
    return Objects.requireNonNullElse(
        SuiteRun.class.getPackage().getImplementationVersion(), "of this build");
  }
}
