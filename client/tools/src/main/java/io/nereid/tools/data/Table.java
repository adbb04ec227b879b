package io.nereid.tools.data;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Rows of cells, as a text file has them.
 *
 * @param source the file, for messages
 * @param names of the columns; empty if the file has none
 * @param rows of as many cells as there are columns
 */
record Table(String source, List<String> names, List<Row> rows) {
  /**
   * A row.
   *
   * @param place of the row in the file, for messages, such as {@code line 3}
   */
  record Row(String place, List<String> cells) {}

  /** What separates columns where a comma does not. */
  private static final List<String> SEPARATORS = List.of(";", "\t", "|");

  /**
   * @throws DataException if there is no row, if two columns have the same name, or a row has
   *     another number of cells
   */
  Table {
    rows = List.copyOf(rows);
    if (rows.isEmpty()) {
      throw new DataException("'%s' has no rows".formatted(source));
    }
    names = List.copyOf(names);
    Set<String> distinct = new HashSet<>();
    for (String name : names) {
      if (!distinct.add(name)) {
        throw new DataException("'%s' has two columns '%s'".formatted(source, name));
      }
    }
    int width = names.isEmpty() ? rows.getFirst().cells().size() : names.size();
    for (Row row : rows) {
      if (row.cells().size() != width) {
        throw new DataException(
            "'%s', %s: got %s, expected the %d of the %s%s"
                .formatted(
                    source,
                    row.place(),
                    DataException.counted(row.cells().size(), "column"),
                    width,
                    names.isEmpty() ? "first row" : "header",
                    names.size() == 1
                        ? hint(names)
                        : row.cells().stream().anyMatch(cell -> cell.contains("\n"))
                            ? "; a quote of it may not be closed"
                            : ""));
      }
    }
  }

  int width() {
    return rows.getFirst().cells().size();
  }

  /** What may be the reason of a column too many, or too few; empty if nothing is likely. */
  String hint() {
    return hint(names);
  }

  private static String hint(List<String> names) {
    String first = names.isEmpty() ? "" : names.getFirst();
    if (names.size() == 1 && SEPARATORS.stream().anyMatch(first::contains)) {
      String separator = SEPARATORS.stream().filter(first::contains).findFirst().orElseThrow();
      return "; its only column is '%s': --separator %s parts it"
          .formatted(first, separator.equals("\t") ? "$'\\t'" : "'" + separator + "'");
    }
    if (!names.isEmpty() && first.isBlank()) {
      return "; its first column has no name: if it is an index of pandas, write the file with index=False";
    }
    if (names.stream().anyMatch(CsvFile::isNumber)) {
      return "; its first line looks like a row: add a line of names before it";
    }
    return "";
  }

  /**
   * This table with columns under the names that are known, where LightGBM has written underscores
   * for their spaces.
   */
  Table named(Set<String> known) {
    if (known.isEmpty() || known.containsAll(names)) {
      return this;
    }
    List<String> found = new ArrayList<>();
    for (String name : names) {
      String written = name.replace(' ', '_');
      boolean isOther = known.contains(name) || names.contains(written);
      found.add(!isOther && known.contains(written) ? written : name);
    }
    return new Table(source, found, rows);
  }

  /** Such as {@code column 'age', line 3}. */
  String place(int row, int column) {
    return "column %s, %s"
        .formatted(
            names.isEmpty() ? Integer.toString(column + 1) : "'%s'".formatted(names.get(column)),
            rows.get(row).place());
  }

  /** This table without some columns, of those that it has. */
  Table without(List<String> ignored) {
    if (ignored.stream().noneMatch(names::contains)) {
      return this;
    }
    int[] kept = IntStream.range(0, width()).filter(i -> !ignored.contains(names.get(i))).toArray();
    List<Row> left = new ArrayList<>(rows.size());
    for (Row row : rows) {
      left.add(new Row(row.place(), IntStream.of(kept).mapToObj(row.cells()::get).toList()));
    }
    return new Table(source, IntStream.of(kept).mapToObj(names::get).toList(), left);
  }
}
