package io.nereid.server.doctor;

import io.nereid.spi.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What backends say about this machine, and what that means for the models that need them.
 *
 * @param backends the checks of each backend, by name
 * @param needed a model by the name of the backend that it needs
 */
record BackendChecks(Map<String, List<Check>> backends, Map<String, String> needed) {
  List<Check> run() {
    List<Check> checks = new ArrayList<>();
    if (backends.isEmpty()) {
      checks.add(Check.warning("backends", "none found", "name their folder: --backend-directory"));
    }
    backends.forEach((name, found) -> {
      if (found.isEmpty()) {
        checks.add(Check.ok(subject(name), "found"));
      }
      found.forEach(check -> checks.add(judge(name, check)));
    });
    needed.forEach((name, model) -> {
      if (!backends.containsKey(name)) {
        checks.add(
            Check.problem(
                subject(name),
                "not found, and model '%s' needs it".formatted(model),
                "add a folder '%s' with its jars to the directory of backends".formatted(name)));
      }
    });
    return checks;
  }

  /** A backend that cannot run models is a problem if a model needs it. */
  private Check judge(String name, Check check) {
    String model = needed.get(name);
    String subject = check.subject().equals("backend") ? subject(name) : check.subject();
    return switch (check.level()) {
      case UNAVAILABLE ->
          model == null
              ? Check.warning(subject, check.finding(), check.cure())
              : Check.problem(
                  subject,
                  "%s (model '%s' needs it)".formatted(check.finding(), model),
                  check.cure());
      case OK, WARNING, PROBLEM -> new Check(check.level(), subject, check.finding(), check.cure());
    };
  }

  private static String subject(String name) {
    return "backend '%s'".formatted(name);
  }
}
