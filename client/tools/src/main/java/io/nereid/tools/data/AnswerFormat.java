package io.nereid.tools.data;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonWriter;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import io.nereid.client.DataType;
import io.nereid.client.InferResponse;
import io.nereid.client.Tensor;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The forms in which a model's outputs are printed. */
public enum AnswerFormat {
  /** A line for each row, in columns, for people. */
  TABLE,
  /** A line for each row, with the same columns; read again as what is expected. */
  CSV,
  /** The response of a server of the v2 protocol, in JSON; NaN is written so, as Triton does. */
  JSON;

  /**
   * Prints an answer.
   *
   * @throws DataException if it has no rows, as table and CSV need them
   */
  public void write(InferResponse answer, ColumnNames names, PrintWriter out) {
    switch (this) {
      case JSON -> writeJson(answer, out);
      case CSV -> writeCsv(columns(answer.outputs(), names), out);
      case TABLE -> writeTable(columns(answer.outputs(), names), out);
    }
    out.flush();
  }

  private static void writeCsv(List<Column> columns, PrintWriter out) {
    try (CsvWriter csv =
        CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(new Unclosed(out))) {
      csv.writeRecord(columns.stream().map(Column::name).toList());
      for (int row = 0; row < rows(columns); row++) {
        int at = row;
        csv.writeRecord(columns.stream().map(column -> column.cell(at)).toList());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeTable(List<Column> columns, PrintWriter out) {
    int[] widths = columns.stream().mapToInt(Column::characters).toArray();
    int first = Math.max("row".length(), Integer.toString(rows(columns)).length());
    out.print(padded("row", first));
    for (int i = 0; i < widths.length; i++) {
      out.print("  " + padded(columns.get(i).name(), widths[i]));
    }
    out.println();
    for (int row = 0; row < rows(columns); row++) {
      out.print(padded(Integer.toString(row + 1), first));
      for (int i = 0; i < widths.length; i++) {
        out.print("  " + padded(columns.get(i).cell(row), widths[i]));
      }
      out.println();
    }
  }

  private static String padded(String text, int width) {
    return " ".repeat(width - text.length()) + text;
  }

  /**
   * One value of each row.
   *
   * @param offset of the first row's in {@code texts}
   * @param width between those of two rows
   */
  @SuppressWarnings("ArrayRecordComponent") // read by this class alone
  private record Column(String name, String[] texts, int offset, int width) {
    String cell(int row) {
      return texts[offset + row * width];
    }

    int rows() {
      return texts.length / width;
    }

    int characters() {
      int most = name.length();
      for (int i = offset; i < texts.length; i += width) {
        most = Math.max(most, texts[i].length());
      }
      return most;
    }
  }

  private static int rows(List<Column> columns) {
    return columns.isEmpty() ? 0 : columns.getFirst().rows();
  }

  private static List<Column> columns(Map<String, Tensor> outputs, ColumnNames columnNames) {
    List<Column> columns = new ArrayList<>();
    long rows = -1;
    for (Map.Entry<String, Tensor> output : outputs.entrySet()) {
      long[] shape = output.getValue().shape();
      long own = shape.length == 0 ? 1 : shape[0];
      if (own == 0 || (rows >= 0 && own != rows)) {
        throw new DataException(
            "output '%s' is %s, which is no column of the %s: --format json prints it"
                .formatted(
                    output.getKey(),
                    output.getValue(),
                    own == 0 ? "rows" : "%d rows before it".formatted(rows)));
      }
      rows = own;
      String[] texts = ElementTexts.of(output.getValue());
      int width = texts.length / (int) own;
      List<String> names = columnNames.of(output.getKey(), width);
      for (int i = 0; i < width; i++) {
        columns.add(new Column(names.get(i), texts, i, width));
      }
    }
    return columns;
  }

  private static void writeJson(InferResponse answer, PrintWriter out) {
    try {
      JsonWriter json = new JsonWriter(out);
      json.setStrictness(Strictness.LENIENT);
      json.beginObject().name("model_name").value(answer.model());
      json.name("model_version").value(answer.version());
      json.name("outputs").beginArray();
      for (Map.Entry<String, Tensor> output : answer.outputs().entrySet()) {
        Tensor tensor = output.getValue();
        json.beginObject().name("name").value(output.getKey());
        json.name("datatype").value(tensor.dataType().name());
        json.name("shape").beginArray();
        for (long dim : tensor.shape()) {
          json.value(dim);
        }
        json.endArray().name("data").beginArray();
        for (String text : ElementTexts.of(tensor)) {
          if (tensor.dataType() == DataType.BYTES) {
            json.value(text);
          } else {
            json.jsonValue(text);
          }
        }
        json.endArray().endObject();
      }
      json.endArray().endObject().flush();
      out.println();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Output that its writer does not close. */
  private static final class Unclosed extends FilterWriter {
    Unclosed(PrintWriter out) {
      super(out);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
