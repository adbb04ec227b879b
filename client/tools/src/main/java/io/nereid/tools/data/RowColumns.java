package io.nereid.tools.data;

import io.nereid.engine.model.config.text.Names;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Which columns of a table have the values of which tensor. */
final class RowColumns {
  /** Where a table has no column for a value, which is missing in all rows. */
  static final int NONE = -1;

  private static final String IGNORE = "; --ignore leaves columns out, by name";

  private RowColumns() {}

  /**
   * The columns of a single tensor: by the names of the model's features, else all of them in their
   * order.
   *
   * @throws DataException if there are more or fewer than it has values in a row, or others than
   *     the features
   */
  static int[] ofOnly(Table table, RowLayout layout, WantedTensors wanted, TextFormat format) {
    List<String> features = wanted.features();
    return haveMeaning(table, layout, format) && namesValues(features, layout)
        ? byFeature(table, features, format)
        : inOrder(table, layout);
  }

  /** Whether columns of an input have names, but the model does not say which it expects. */
  static boolean areOfNoUse(
      Table table, RowLayout layout, WantedTensors wanted, TextFormat format) {
    return wanted.areInputs()
        && table.width() > 1
        && haveMeaning(table, layout, format)
        && !namesValues(wanted.features(), layout);
  }

  /** Whether a table has names, others than those of the values in their order. */
  private static boolean haveMeaning(Table table, RowLayout layout, TextFormat format) {
    return !format.isInOrder()
        && !table.names().isEmpty()
        && !table.names().equals(ColumnNames.numbered(layout.name(), layout.width()));
  }

  private static boolean namesValues(List<String> features, RowLayout layout) {
    return !layout.isOfAnyWidth() && features.size() == layout.width();
  }

  private static int[] byFeature(Table table, List<String> features, TextFormat format) {
    Map<String, Integer> indices = new HashMap<>();
    table.names().forEach(name -> indices.put(name, indices.size()));
    Set<String> known = new HashSet<>(features);
    for (String name : table.names()) {
      if (!known.contains(name)) {
        String hint = hint(table, name, lacking(features, indices.keySet()), format);
        throw new DataException(
            "'%s' has a column '%s', which is none of the features %s%s"
                .formatted(
                    table.source(),
                    name,
                    DataException.listed(features),
                    hint.isEmpty() && table.width() == features.size()
                        ? "; --in-order takes columns in their order, whatever their names"
                        : hint));
      }
    }
    requireAll("column", table.source(), features, indices.keySet(), known, format);
    return features.stream().mapToInt(name -> indices.getOrDefault(name, NONE)).toArray();
  }

  private static List<String> lacking(List<String> needed, Set<String> had) {
    return needed.stream().filter(name -> !had.contains(name)).toList();
  }

  /**
   * What helps against a column that the model does not know; empty if nothing is likely to.
   *
   * @param lacking what the model knows and the table does not have
   */
  private static String hint(Table table, String name, List<String> lacking, TextFormat format) {
    if (!table.hint().isEmpty()) {
      return table.hint();
    }
    String question = Names.question(name, lacking);
    return question.isEmpty() && (lacking.isEmpty() || format.mayLack()) ? IGNORE : question;
  }

  /**
   * Checks that nothing is left out but what the user allows.
   *
   * @param optional what a model can do without
   * @throws DataException with the names that are missing
   */
  static void requireAll(
      String what,
      String source,
      List<String> needed,
      Set<String> had,
      Set<String> optional,
      TextFormat format) {
    List<String> missing = lacking(needed, had);
    if (!missing.isEmpty() && !format.mayLack()) {
      throw new DataException(
          "'%s' has no %s '%s'%s%s%s"
              .formatted(
                  source,
                  what,
                  missing.getFirst(),
                  missing.size() > 1
                      ? ", nor %d more of %d".formatted(missing.size() - 1, needed.size())
                      : "",
                  format.ignored().contains(missing.getFirst()) ? "; --ignore leaves it out" : "",
                  optional.containsAll(missing)
                      ? "; with --allow-missing its value is missing in all rows"
                      : ""));
    }
  }

  private static int[] inOrder(Table table, RowLayout layout) {
    int width = table.width();
    boolean fits = layout.isOfAnyWidth() ? width % layout.width() == 0 : width == layout.width();
    if (!fits) {
      throw new DataException(
          "'%s' has %s, and '%s' expects %s%s in a row%s"
              .formatted(
                  table.source(),
                  DataException.counted(width, "column"),
                  layout.name(),
                  layout.isOfAnyWidth() ? "a multiple of " : "",
                  DataException.counted(layout.width(), "value"),
                  table.hint().isEmpty() && width > layout.width() && !table.names().isEmpty()
                      ? IGNORE
                      : table.hint()));
    }
    return IntStream.range(0, width).toArray();
  }

  /**
   * The columns of each tensor that the table has, by name.
   *
   * @throws DataException if a column has no tensor, a tensor has some of its columns only, an
   *     input has none, or there are no names
   */
  static Map<RowLayout, int[]> byName(
      Table table, List<RowLayout> layouts, WantedTensors wanted, TextFormat format) {
    List<String> known = layouts.stream().map(RowLayout::name).toList();
    if (wanted.areInputs() && format.isInOrder()) {
      throw new DataException(
          "--in-order is for models with one input; columns of this one are found by the names of its inputs %s"
              .formatted(DataException.listed(known)));
    }
    if (table.names().isEmpty()) {
      throw new DataException(
          "'%s' has no names of columns, by which %s are found%s"
              .formatted(table.source(), DataException.listed(known), ofOutputs(wanted)));
    }
    Map<String, Integer> indices = new LinkedHashMap<>();
    table.names().forEach(name -> indices.put(name, indices.size()));
    Set<String> unused = new LinkedHashSet<>(table.names());
    Map<RowLayout, int[]> columns = new LinkedHashMap<>();
    Set<String> had = new HashSet<>();
    for (RowLayout layout : layouts) {
      if (layout.isOfAnyWidth()) {
        throw new DataException(
            "'%s' has any number of values in a row: columns do not say how many, but arrays (.npz) and requests (.json) do"
                .formatted(layout.name()));
      }
      for (List<String> own :
          List.of(
              wanted.names().of(layout.name(), layout.width()),
              ColumnNames.numbered(layout.name(), layout.width()))) {
        if (!had.contains(layout.name()) && own.stream().anyMatch(indices::containsKey)) {
          columns.put(
              layout, own.stream().mapToInt(name -> index(table, indices, layout, name)).toArray());
          own.forEach(unused::remove);
          had.add(layout.name());
        }
      }
    }
    if (!unused.isEmpty()) {
      String name = unused.iterator().next();
      List<String> lacking = lacking(known, had);
      throw new DataException(
          "'%s' has a column '%s', which is none of %s%s"
              .formatted(
                  table.source(),
                  name,
                  DataException.listed(known),
                  wanted.areInputs()
                      ? hint(table, name, lacking, format)
                      : ofOutputs(wanted) + Names.question(name, lacking)));
    }
    if (wanted.areInputs()) {
      requireAll("column", table.source(), known, had, wanted.optional(), format);
    }
    return columns;
  }

  private static String ofOutputs(WantedTensors wanted) {
    return wanted.areInputs()
        ? ""
        : "; --output <name> compares one of them, and then columns may have any names";
  }

  private static int index(
      Table table, Map<String, Integer> indices, RowLayout layout, String name) {
    Integer index = indices.get(name);
    if (index == null) {
      throw new DataException(
          "'%s' has no column '%s', and '%s' has %d values in a row"
              .formatted(table.source(), name, layout.name(), layout.width()));
    }
    return index;
  }
}
