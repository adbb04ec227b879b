package io.nereid.engine.model.control;

import io.nereid.engine.model.ClientText;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.ModelState;
import io.nereid.engine.model.control.ModelIndexEntry.State;
import io.nereid.engine.model.control.operation.RepositoryScan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** The repository index: what is in the repositories, with the states of what is known of it. */
record ModelIndex(RepositoryScan scan, ModelRegistry registry) {
  /** See {@link ModelControl#index}. */
  List<ModelIndexEntry> rows(boolean readyOnly) {
    SortedMap<String, Integer> names = scan.names();
    List<ModelIndexEntry> index = new ArrayList<>();
    for (ModelId id : scan.ids()) {
      boolean duplicate = !scan.namespacing() && names.getOrDefault(id.name(), 0) > 1;
      index.addAll(
          duplicate
              ? List.of(failed(id.name(), RepositoryScan.DUPLICATE))
              : rows(id.name(), registry.entry(id)));
    }
    index.removeIf(row -> readyOnly && !row.state().equals(Optional.of(State.READY)));
    return index;
  }

  /** See {@link ModelControl#known}. */
  List<ModelIndexEntry> known() {
    List<ModelIndexEntry> known = new ArrayList<>();
    new TreeMap<>(registry.snapshot()).forEach((id, entry) -> known.addAll(rows(id.name(), entry)));
    known.removeIf(row -> row.state().isEmpty());
    known.sort(Comparator.comparing(ModelIndexEntry::name)); // ids are sorted by namespace
    return known;
  }

  private static List<ModelIndexEntry> rows(String name, ModelEntry entry) {
    if (entry.versions().isEmpty()) {
      return List.of(
          entry.reason().isEmpty()
              ? new ModelIndexEntry(name, OptionalLong.empty(), Optional.empty(), "")
              : failed(name, entry.reason()));
    }
    return entry.versions().entrySet().stream()
        .map(version -> row(name, version.getKey(), version.getValue()))
        .toList();
  }

  private static ModelIndexEntry failed(String name, String reason) {
    return new ModelIndexEntry(
        name, OptionalLong.empty(), Optional.of(State.UNAVAILABLE), ClientText.of(name, reason));
  }

  private static ModelIndexEntry row(String name, long version, ModelState state) {
    State shown = State.valueOf(state.label());
    return new ModelIndexEntry(
        name, OptionalLong.of(version), Optional.of(shown), ClientText.of(name, state.reason()));
  }
}
