package io.nereid.junit.jvm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * A run of test classes inside a test, from the first to the last: its servers are closed.
 *
 * @param errors what was printed on standard error
 */
record TestRun(TestExecutionSummary summary, String errors) {
  static TestRun of(Class<?>... classes) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(classes).map(each -> selectClass(each)).toList())
            .build();
    var listener = new SummaryGeneratingListener();
    var errors = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(errors, true, UTF_8));
    try {
      LauncherFactory.create().execute(request, listener);
    } finally {
      System.setErr(before);
    }
    return new TestRun(listener.getSummary(), errors.toString(UTF_8));
  }

  /** The message of the only failure. */
  String failure() {
    if (summary.getFailures().size() != 1) {
      throw new AssertionError("%s\n%s".formatted(summary.getFailures(), errors));
    }
    return String.valueOf(summary.getFailures().getFirst().getException().getMessage());
  }

  /** The only failure, with its stack trace and its causes, as a report shows it. */
  String trace() {
    var _ = failure();
    var trace = new StringWriter();
    summary.getFailures().getFirst().getException().printStackTrace(new PrintWriter(trace));
    return trace.toString();
  }

  /** Fails with all failures unless every test succeeded. */
  TestRun succeeds(int tests) {
    summary
        .getFailures()
        .forEach(failure -> {
          throw new AssertionError(errors, failure.getException());
        });
    if (summary.getTestsSucceededCount() != tests) {
      throw new AssertionError(summary.getTestsSucceededCount() + " tests succeeded");
    }
    return this;
  }
}
