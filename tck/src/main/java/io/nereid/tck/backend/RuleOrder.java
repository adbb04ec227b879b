package io.nereid.tck.backend;

import io.nereid.tck.RuleCatalog;
import java.util.Comparator;
import org.junit.jupiter.api.MethodDescriptor;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;

/** Runs tests in the order of their rules, of which the first are the simplest. */
final class RuleOrder implements MethodOrderer {
  @Override
  public void orderMethods(MethodOrdererContext context) {
    context.getMethodDescriptors().sort(Comparator.comparing(RuleOrder::rule));
  }

  private static String rule(MethodDescriptor test) {
    return RuleCatalog.rulesOf(test.getMethod()).stream().findFirst().orElse("");
  }
}
