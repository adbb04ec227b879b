package io.nereid.tools.data;

import com.google.gson.JsonElement;
import io.nereid.client.DataType;
import io.nereid.client.Tensor;
import io.nereid.client.model.TensorMetadata;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * The tensors of a file, of all its rows: the inputs of a model, or its outputs.
 *
 * <table>
 * <caption>How tensors are found in a file</caption>
 * <tr><th>one tensor is wanted</th><td>the columns of a row by the names of the model's features, if
 *     both have names; else in their order; or the only array</td></tr>
 * <tr><th>several</th><td>columns by name, which for a tensor of several values in each row is {@code
 *     name[0]}, {@code name[1]} and so on; or arrays by name. An output that the file does not have is
 *     left out, an input if the user allows it</td></tr>
 * </table>
 *
 * @param rows of all tensors; -1 if they have no common first dimension of any size
 * @param notice what the user should know of how they were found; may be empty
 */
public record TensorFile(Map<String, Tensor> tensors, int rows, String notice) {
  public TensorFile {
    tensors = Collections.unmodifiableMap(tensors);
  }

  /** One of the tensors, which it has. */
  public Tensor tensor(String name) {
    return Objects.requireNonNull(tensors.get(name));
  }

  /**
   * Reads a file by its extension: .csv, .csv.gz, .json, .npz or .npy.
   *
   * @throws DataException if the file is of another form, or does not fit
   * @throws IOException if it cannot be read
   */
  public static TensorFile read(Path file, WantedTensors wanted, TextFormat format)
      throws IOException {
    String name = existing(file).toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".npz") || name.endsWith(".npy")) {
      return ofArrays(file, NpzFile.read(file), wanted, format);
    }
    if (name.endsWith(".json")) {
      return ofJson(file.toString(), StrictJson.read(file), wanted, format);
    }
    if (name.endsWith(".csv") || name.endsWith(".csv.gz")) {
      return ofCsv(file, wanted, format);
    }
    throw new DataException(
        "'%s' is of no known kind: expected .csv, .csv.gz, .json, .npz or .npy".formatted(file));
  }

  /**
   * A path, if there is a file.
   *
   * @throws DataException if it is a directory
   * @throws NoSuchFileException if there is nothing
   */
  public static Path existing(Path file) throws NoSuchFileException {
    if (Files.isDirectory(file)) {
      throw new DataException("'%s' is a directory, and not a file of rows".formatted(file));
    }
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    return file;
  }

  /** As {@link #read}, of JSON that is no request. */
  public static TensorFile ofJson(
      String source, JsonElement json, WantedTensors wanted, TextFormat format) {
    TensorFile file = ofRows(JsonRows.read(source, json), wanted, format);
    if (!file.notice().isEmpty()) { // members of an object have no order
      throw new DataException(
          file.notice()
              + ": give rows without names, [[...], [...]], in the order of the training data");
    }
    return file;
  }

  /** As {@link #read}, whatever the name of the file. */
  public static TensorFile ofCsv(Path file, WantedTensors wanted, TextFormat format)
      throws IOException {
    TensorFile read = ofRows(CsvFile.read(file, format), wanted, format);
    return read.notice().isEmpty()
        ? read
        : new TensorFile(
            read.tensors(), read.rows(), read.notice() + ": columns are taken in their order");
  }

  private static TensorFile ofRows(Table whole, WantedTensors wanted, TextFormat format) {
    List<RowLayout> layouts = wanted.tensors().stream().map(RowLayout::of).toList();
    Table table = whole.without(format.ignored()).named(wanted.columns());
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    String notice = "";
    if (layouts.size() == 1) {
      RowLayout layout = layouts.getFirst();
      int[] columns = RowColumns.ofOnly(table, layout, wanted, format);
      tensors.put(layout.name(), tensor(table, layout, columns, wanted.ofText()));
      if (RowColumns.areOfNoUse(table, layout, wanted, format)) {
        notice =
            "'%s' has names of values, and the model does not name those of its only input '%s'"
                .formatted(table.source(), layout.name());
      }
    } else {
      RowColumns.byName(table, layouts, wanted, format)
          .forEach(
              (layout, columns) -> tensors.put(layout.name(), tensor(table, layout, columns, "")));
    }
    boolean haveRows = layouts.stream().allMatch(RowLayout::hasRows);
    return new TensorFile(tensors, haveRows ? table.rows().size() : -1, notice);
  }

  private static Tensor tensor(Table table, RowLayout layout, int[] columns, String ofText) {
    int rows = table.rows().size();
    if (!layout.hasRows() && rows > 1) {
      throw new DataException(
          "'%s' has %d rows, expected 1: '%s' has the shape %s, without a dimension of rows"
              .formatted(table.source(), rows, layout.name(), layout.dims()));
    }
    ElementBuffer elements = new ElementBuffer(layout.type(), (long) rows * columns.length);
    for (int row = 0; row < rows; row++) {
      List<String> cells = table.rows().get(row).cells();
      for (int column : columns) {
        try {
          elements.put(column == RowColumns.NONE ? "" : cells.get(column));
        } catch (IllegalArgumentException wrong) {
          throw new DataException(
              "'%s', %s: %s%s"
                  .formatted(table.source(), table.place(row, column), wrong.getMessage(), ofText));
        }
      }
    }
    return elements.tensor(layout.shape(rows, columns.length));
  }

  private static TensorFile ofArrays(
      Path file, Map<String, NpyArray> arrays, WantedTensors wanted, TextFormat format) {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    List<String> names = wanted.tensors().stream().map(TensorMetadata::name).toList();
    boolean isOnly = names.size() == 1 && arrays.size() == 1;
    for (String name : arrays.keySet()) {
      if (!isOnly && !names.contains(name) && !wanted.isChosen(arrays.keySet())) {
        throw new DataException(
            "%s is of no use: the model has %s%s"
                .formatted(
                    NpzFile.named(file, name),
                    DataException.listed(names),
                    wanted.areInputs() || wanted.isOne()
                        ? ""
                        : "; --output says which one is compared"));
      }
    }
    if (wanted.areInputs() && !isOnly) {
      RowColumns.requireAll(
          "array", file.toString(), names, arrays.keySet(), wanted.optional(), format);
    }
    for (TensorMetadata tensor : wanted.tensors()) {
      String name = isOnly ? arrays.keySet().iterator().next() : tensor.name();
      NpyArray array = arrays.get(name);
      if (array != null) {
        tensors.put(tensor.name(), tensor(NpzFile.named(file, name), array, tensor));
      }
    }
    return new TensorFile(tensors, rows(file, wanted.tensors(), tensors), "");
  }

  private static Tensor tensor(String source, NpyArray array, TensorMetadata wanted) {
    long[] shape = fitted(source, array.shape(), wanted);
    DataType type = RowLayout.type(wanted);
    ElementBuffer elements = new ElementBuffer(type, array.elements());
    array.fill(source, elements);
    return elements.tensor(shape);
  }

  /**
   * The shape as the model has it: NumPy's arrays of one value in each row may lack a dimension.
   */
  private static long[] fitted(String source, long[] shape, TensorMetadata wanted) {
    List<Long> expected = wanted.shape();
    List<Long> given = new ArrayList<>();
    for (long dim : shape) {
      given.add(dim);
    }
    if (given.size() == expected.size() - 1 && expected.getLast() == 1) {
      given.add(1L);
    } else if (given.size() == expected.size() + 1 && given.getLast() == 1) {
      given.removeLast();
    }
    boolean fits = given.size() == expected.size() && !given.isEmpty();
    for (int i = 0; fits && i < given.size(); i++) {
      fits = expected.get(i) == -1 || expected.get(i).equals(given.get(i));
    }
    if (!fits) {
      throw new DataException(
          "%s has the shape %s, and '%s' expects %s"
              .formatted(source, Arrays.toString(shape), wanted.name(), expected));
    }
    return given.stream().mapToLong(Long::longValue).toArray();
  }

  private static int rows(Path file, List<TensorMetadata> wanted, Map<String, Tensor> tensors) {
    int rows = -1;
    String first = "";
    for (TensorMetadata tensor : wanted) {
      Tensor read = tensors.get(tensor.name());
      if (read == null) {
        continue;
      }
      if (tensor.shape().isEmpty() || tensor.shape().getFirst() != -1) {
        return -1;
      }
      int own = Math.toIntExact(read.shape()[0]);
      if (rows >= 0 && own != rows) {
        throw new DataException(
            "'%s' has %d rows of '%s' and %d of '%s'"
                .formatted(file, rows, first, own, tensor.name()));
      }
      rows = own;
      first = tensor.name();
    }
    return rows;
  }
}
