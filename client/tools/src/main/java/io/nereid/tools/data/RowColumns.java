package io.nereid.tools.data;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Which columns of a table have the values of which tensor. */
final class RowColumns {
  private RowColumns() {}

  /**
   * All columns, in their order, for a single tensor.
   *
   * @throws DataException if there are more or fewer than it has values in a row
   */
  static int[] inOrder(Table table, RowLayout layout) {
    int width = table.width();
    boolean fits = layout.isOfAnyWidth() ? width % layout.width() == 0 : width == layout.width();
    if (!fits) {
      throw new DataException(
          "'%s' has %d columns, and '%s' expects %s%d values in a row%s"
              .formatted(
                  table.source(),
                  width,
                  layout.name(),
                  layout.isOfAnyWidth() ? "a multiple of " : "",
                  layout.width(),
                  hint(table)));
    }
    return IntStream.range(0, width).toArray();
  }

  /**
   * Checks names of values that have no order, for a single tensor.
   *
   * @throws DataException if there are other names than those of its columns, in order
   */
  static void requireNoOther(List<String> names, String source, RowLayout layout) {
    if (!names.isEmpty() && !names.equals(layout.columns())) {
      throw new DataException(
          "'%s' has names of values, and the only input '%s' says nothing of their order: give rows without names, [[...], [...]], in the order of the training data"
              .formatted(source, layout.name()));
    }
  }

  /** What may be the reason of a column too many. */
  private static String hint(Table table) {
    if (!table.names().isEmpty() && table.names().getFirst().isBlank()) {
      return "; its first column has no name: if it is an index of pandas, write the file with index=False";
    }
    return table.names().isEmpty() ? "" : "; --ignore leaves columns out, by name";
  }

  /**
   * The columns of each tensor that the table has, by name.
   *
   * @throws DataException if a column has no tensor, a tensor has some of its columns only, or
   *     there are no names
   */
  static Map<RowLayout, int[]> byName(Table table, List<RowLayout> layouts) {
    List<String> known = layouts.stream().map(RowLayout::name).toList();
    if (table.names().isEmpty()) {
      throw new DataException(
          "'%s' has no names of columns, by which %s are found"
              .formatted(table.source(), Table.named(known)));
    }
    Set<String> unused = new LinkedHashSet<>(table.names());
    Map<RowLayout, int[]> columns = new LinkedHashMap<>();
    for (RowLayout layout : layouts) {
      if (layout.isOfAnyWidth()) {
        throw new DataException(
            "'%s' has any number of values in a row: columns do not say how many, but arrays (.npz) and requests (.json) do"
                .formatted(layout.name()));
      }
      List<String> own = layout.columns();
      if (own.stream().anyMatch(table.names()::contains)) {
        columns.put(layout, own.stream().mapToInt(name -> index(table, layout, name)).toArray());
        own.forEach(unused::remove);
      }
    }
    if (!unused.isEmpty()) {
      throw new DataException(
          "'%s' has a column '%s', which is none of %s%s"
              .formatted(
                  table.source(), unused.iterator().next(), Table.named(known), hint(table)));
    }
    return columns;
  }

  private static int index(Table table, RowLayout layout, String name) {
    int index = table.names().indexOf(name);
    if (index < 0) {
      throw new DataException(
          "'%s' has no column '%s', and '%s' has %d values in a row"
              .formatted(table.source(), name, layout.name(), layout.width()));
    }
    return index;
  }
}
