package io.nereid.tools.data;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows in JSON: an object is a row with names, an array of objects several, as pandas writes
 * records; an array of arrays is rows without names. A value that is an array fills one column for
 * each of its elements, and null an empty cell.
 */
final class JsonRows {
  private JsonRows() {}

  /**
   * @throws DataException if it has another form
   */
  static Table read(String source, JsonElement json) {
    JsonArray rows = new JsonArray();
    if (json.isJsonObject()) {
      rows.add(json);
    } else if (json.isJsonArray()) {
      rows = json.getAsJsonArray();
    }
    if (!rows.isEmpty() && rows.asList().stream().allMatch(JsonElement::isJsonObject)) {
      return named(source, rows);
    }
    if (!rows.isEmpty() && rows.asList().stream().allMatch(JsonElement::isJsonArray)) {
      List<Table.Row> read = new ArrayList<>();
      for (JsonElement row : rows) {
        List<String> cells = new ArrayList<>();
        addCells(source, row, cells);
        read.add(new Table.Row("row " + (read.size() + 1), cells));
      }
      return new Table(source, List.of(), read);
    }
    throw new DataException(
        "'%s' is none of these: an object with 'inputs', as a server of the v2 protocol takes it; an object, or an array of objects, with a member for each column; an array of arrays of values"
            .formatted(source));
  }

  /** The columns are those of all rows, in the order in which they come first. */
  private static Table named(String source, JsonArray rows) {
    List<Map<String, String>> cells = new ArrayList<>();
    Map<String, Integer> columns = new LinkedHashMap<>();
    for (JsonElement row : rows) {
      Map<String, String> cellsOfRow = new LinkedHashMap<>();
      ((JsonObject) row)
          .entrySet()
          .forEach(member -> {
            if (member.getValue().isJsonObject()) {
              throw new DataException(
                  "'%s': column '%s' is an object, expected a value; pandas writes rows by to_json(orient=\"records\")"
                      .formatted(source, member.getKey()));
            }
            List<String> values = new ArrayList<>();
            addCells(source, member.getValue(), values);
            List<String> names =
                member.getValue().isJsonArray()
                    ? ColumnNames.numbered(member.getKey(), values.size())
                    : List.of(member.getKey());
            for (int i = 0; i < values.size(); i++) {
              cellsOfRow.put(names.get(i), values.get(i));
              columns.putIfAbsent(names.get(i), columns.size());
            }
          });
      cells.add(cellsOfRow);
    }
    List<Table.Row> read = new ArrayList<>();
    for (Map<String, String> row : cells) {
      read.add(
          new Table.Row(
              "row " + (read.size() + 1),
              columns.keySet().stream().map(name -> row.getOrDefault(name, "")).toList()));
    }
    return new Table(source, List.copyOf(columns.keySet()), read);
  }

  /** Adds the cells of a value, those of nested arrays in row-major order. */
  private static void addCells(String source, JsonElement value, List<String> cells) {
    if (value.isJsonArray()) {
      value.getAsJsonArray().forEach(each -> addCells(source, each, cells));
    } else if (value.isJsonObject()) {
      throw new DataException("'%s': an object cannot be the value of a column".formatted(source));
    } else {
      cells.add(value.isJsonNull() ? "" : value.getAsString());
    }
  }
}
