package io.nereid.server.command;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** A program that runs test classes; prints failures and how many tests succeeded. */
final class KitRun {
  private KitRun() {}

  public static void main(String[] classes) {
    var summary = new SummaryGeneratingListener();
    var tests =
        request().selectors(Arrays.stream(classes).map(name -> selectClass(name)).toList()).build();
    LauncherFactory.create().execute(tests, summary);
    summary.getSummary().printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    System.out.printf(
        "succeeded %d, failed %d%n",
        summary.getSummary().getTestsSucceededCount(), summary.getSummary().getTotalFailureCount());
    System.exit(summary.getSummary().getTotalFailureCount() == 0 ? 0 : 1);
  }
}
