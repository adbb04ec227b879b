package io.nereid.tck.command;

import io.nereid.tck.RuleCatalog;
import io.nereid.tck.RuleCatalog.Entry;
import io.nereid.tck.RuleCatalog.Level;
import io.nereid.tck.command.tested.WrongArgument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** Which rules are verified: those of every kind of choice that was made. */
final class RuleSelection {
  @Option(
      names = "--area",
      paramLabel = "<area>",
      split = ",",
      description = "Only rules whose id begins so: HTTP, HTTP-INFER, BACKEND-EXEC. Repeatable.")
  private List<String> areas = new ArrayList<>();

  @Option(
      names = "--rule",
      paramLabel = "<id>",
      split = ",",
      description = "Only these rules, such as HTTP-INFER-07. Repeatable.")
  private List<String> ids = new ArrayList<>();

  @Option(
      names = "--except",
      paramLabel = "<id or area>",
      split = ",",
      description =
          "Not these rules, such as one that ends the server, or those of an area. Repeatable.")
  private List<String> except = new ArrayList<>();

  @Option(
      names = "--level",
      paramLabel = "<level>",
      split = ",",
      description = "Only rules of this level: required, optional, untested. Repeatable.")
  private List<String> levels = new ArrayList<>();

  /**
   * Chooses among rules.
   *
   * @param subject what they are of, for messages
   * @throws WrongArgument if an area, id or level is none, or no rule is of all that was chosen
   */
  List<Entry> choose(Collection<Entry> rules, String subject) {
    List<Level> chosenLevels = levels.stream().map(RuleSelection::level).toList();
    for (String area : areas) {
      if (rules.stream().noneMatch(rule -> isOf(area, rule))) {
        throw new WrongArgument(
            "--area: no rule of %s is of '%s'; areas are %s"
                .formatted(subject, area, names(rules)));
      }
    }
    requireNames("--rule", ids, rules, RuleSelection::isNamed, subject);
    requireNames("--except", except, rules, RuleSelection::isMeant, subject);
    List<Entry> chosen =
        rules.stream()
            .filter(rule -> areas.isEmpty() || areas.stream().anyMatch(each -> isOf(each, rule)))
            .filter(rule -> ids.isEmpty() || ids.stream().anyMatch(each -> isNamed(each, rule)))
            .filter(rule -> chosenLevels.isEmpty() || chosenLevels.contains(rule.level()))
            .filter(rule -> except.stream().noneMatch(each -> isMeant(each, rule)))
            .toList();
    if (chosen.isEmpty()) {
      throw new WrongArgument("no rule is of all that was chosen; --list lists the rules");
    }
    return chosen;
  }

  private static void requireNames(
      String option,
      List<String> ids,
      Collection<Entry> rules,
      BiPredicate<String, Entry> matches,
      String subject) {
    for (String id : ids) {
      if (rules.stream().noneMatch(rule -> matches.test(id, rule))) {
        throw new WrongArgument(
            "%s: there is no rule '%s' of %s; --list lists them".formatted(option, id, subject));
      }
    }
  }

  private static boolean isOf(String area, Entry rule) {
    String upper = area.toUpperCase(Locale.ROOT);
    return RuleCatalog.areaOf(rule.id()).equals(upper) || rule.id().startsWith(upper + "-");
  }

  private static boolean isNamed(String id, Entry rule) {
    return rule.id().equalsIgnoreCase(id);
  }

  private static boolean isMeant(String idOrArea, Entry rule) {
    return isNamed(idOrArea, rule) || isOf(idOrArea, rule);
  }

  private static String names(Collection<Entry> rules) {
    return rules.stream()
        .map(rule -> RuleCatalog.areaOf(rule.id()))
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private static Level level(String text) {
    return Arrays.stream(Level.values())
        .filter(level -> level.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(() ->
            new WrongArgument(
                "--level: expected required, optional or untested, and got '%s'".formatted(text)));
  }
}
