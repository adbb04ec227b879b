package io.nereid.server.telemetry.logging;

import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.model.control.ModelIndexEntry.State;
import java.util.ArrayList;
import java.util.List;

/** The table of models that the server logs once they are loaded, as Triton does. */
public final class ModelTable {
  private record Row(String model, String version, String status) {}

  private final List<Row> rows = new ArrayList<>();

  /**
   * @param models those that were never loaded are left out
   */
  public ModelTable(List<ModelIndexEntry> models) {
    rows.add(new Row("Model", "Version", "Status"));
    for (ModelIndexEntry model : models) {
      if (model.state().isPresent()) {
        State state = model.state().get();
        rows.add(
            new Row(
                LogFormatter.withoutControls(model.name()),
                model.version().isPresent() ? Long.toString(model.version().getAsLong()) : "-",
                model.reason().isEmpty()
                    ? state.name()
                    : state + ": " + LogFormatter.withoutControls(model.reason())));
      }
    }
  }

  /** Several lines, each behind a line break. */
  @Override
  public String toString() {
    int models = rows.stream().mapToInt(row -> row.model.length()).max().orElse(0);
    int versions = rows.stream().mapToInt(row -> row.version.length()).max().orElse(0);
    int statuses = rows.stream().mapToInt(row -> row.status.length()).max().orElse(0);
    String format = "%n| %%-%ss | %%-%ss | %%-%ss |".formatted(models, versions, statuses);
    String line =
        "%n+-%s-+-%s-+-%s-+"
            .formatted("-".repeat(models), "-".repeat(versions), "-".repeat(statuses));
    var text = new StringBuilder(line);
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      text.append(format.formatted(row.model, row.version, row.status));
      if (i == 0) {
        text.append(line);
      }
    }
    return text.append(line).toString();
  }
}
