package io.nereid.engine.model.lint;

import io.nereid.engine.model.lint.Finding.Severity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects the findings of models. An error that is the same for several of them, but for the name
 * of the model, has one cause, such as an option that a backend needs: it is there once. An error
 * at a field is for the author of that model, and is not shared.
 */
final class SharedErrors {
  private final List<Finding> findings = new ArrayList<>();

  /** The first finding of each error that may be shared, by its text without the name. */
  private final Map<String, Finding> first = new HashMap<>();

  private final Map<Finding, List<String>> others = new HashMap<>();

  void add(String model, List<Finding> ofModel) {
    for (Finding finding : ofModel) {
      String name = "'%s'".formatted(model);
      boolean isShared =
          finding.severity() == Severity.ERROR
              && finding.field().isEmpty()
              && finding.message().contains(name);
      Finding known =
          isShared ? first.putIfAbsent(finding.message().replace(name, "''"), finding) : null;
      if (known == null) {
        findings.add(finding);
      } else {
        others.computeIfAbsent(known, _ -> new ArrayList<>()).add(name);
      }
    }
  }

  /** All findings, in the order in which they were added. */
  List<Finding> all() {
    return findings.stream().map(this::withOthers).toList();
  }

  private Finding withOthers(Finding finding) {
    List<String> models = others.getOrDefault(finding, List.of());
    return models.isEmpty()
        ? finding
        : new Finding(
            finding.severity(),
            finding.file(),
            finding.position(),
            finding.line(),
            finding.field(),
            "%s; the same holds for %s".formatted(finding.message(), String.join(", ", models)));
  }
}
