package io.nereid.text;

import io.nereid.error.InferenceException;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.text.folder.Task;
import io.nereid.text.folder.TextSettings;
import io.nereid.text.tokenizer.Encoding;
import io.nereid.text.tokenizer.TextBytes;
import io.nereid.text.tokenizer.TextToken;
import io.nereid.text.vector.DenseLayer;
import io.nereid.text.vector.Floats;
import io.nereid.text.vector.Vectors;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The rows of one request: its texts, which become tokens, and its outputs, into which it writes
 * what the task makes of the graph's. One thread at a time.
 */
final class TextRows {
  private final TextModel model;
  private final RequestSettings wanted;
  private final List<MemorySegment> first;
  private final List<MemorySegment> second;

  /** Null segments for outputs that are not asked for. */
  private final MemorySegment result;

  private final MemorySegment counts;

  /** What {@link #encode} writes the tokens of the texts to, if the request wants them. */
  private final Optional<TextRequest> tokenized;

  /**
   * A text or a pair, with its tokens.
   *
   * @param index in the request
   */
  record Row(TextRows request, int index, Encoding tokens) {
    int length() {
      return tokens.length();
    }
  }

  /**
   * Reads parameters and texts of a request, and allocates its outputs.
   *
   * @throws InferenceException INVALID_ARGUMENT if a parameter is wrong
   */
  TextRows(TextModel model, TextRequest request) {
    this.model = model;
    TextSettings settings = model.settings();
    wanted = RequestSettings.of(settings, request.parameters());
    List<MemorySegment> texts = texts(request, TextTensors.TEXT);
    List<MemorySegment> queries = texts(request, TextTensors.QUERY);
    first = queries.isEmpty() ? texts : queries;
    second = queries.isEmpty() ? queries : texts;
    String output = TextTensors.result(settings.task());
    result = allocate(request, output, DataType.FP32, wanted.width());
    counts = allocate(request, TextTensors.TOKENS, DataType.INT32, 1);
    tokenized =
        isWanted(request, TextTensors.TOKENIZATION) ? Optional.of(request) : Optional.empty();
  }

  /** The elements of an input; none if the request does not have it. */
  private static List<MemorySegment> texts(TextRequest request, String input) {
    Optional<Tensor> tensor = request.input(input);
    List<MemorySegment> texts = new ArrayList<>();
    if (tensor.isPresent()) {
      MemorySegment data = tensor.get().data();
      BytesElements.forEach(data, (offset, byteSize) -> texts.add(data.asSlice(offset, byteSize)));
    }
    return texts;
  }

  private MemorySegment allocate(TextRequest request, String output, DataType type, int width) {
    if (!isWanted(request, output)) {
      return MemorySegment.NULL;
    }
    boolean batches = model.config().batches();
    Shape shape = batches ? Shape.of(count(), width) : Shape.of(width);
    return request.allocate(output, type, shape, (long) count() * width * type.byteSize());
  }

  private boolean isWanted(TextRequest request, String output) {
    return model.config().output(output).isPresent() && request.wants(output);
  }

  int count() {
    return first.size();
  }

  /**
   * Tokenises rows, and writes what depends on tokens alone.
   *
   * @param end behind the last
   * @return those that the graph is to run
   * @throws InferenceException INVALID_ARGUMENT that names the row, if its text cannot be taken
   */
  List<Row> encode(int from, int end) {
    if (from == 0) {
      tokenized.ifPresent(this::writeTokens);
    }
    List<Row> rows = new ArrayList<>(end - from);
    for (int i = from; i < end; i++) {
      var text = new TextBytes(wanted.prompt(), first.get(i));
      Optional<TextBytes> pair =
          second.isEmpty() ? Optional.empty() : Optional.of(new TextBytes("", second.get(i)));
      try {
        rows.add(new Row(this, i, model.tokenizer().encode(text, pair, wanted.truncates())));
      } catch (InferenceException wrong) {
        throw named(i, wrong);
      }
      if (!counts.equals(MemorySegment.NULL)) {
        counts.set(Elements.INT, (long) i * Integer.BYTES, rows.getLast().length());
      }
    }
    return result.equals(MemorySegment.NULL) ? List.of() : rows;
  }

  private void writeTokens(TextRequest request) {
    List<byte[]> rows = new ArrayList<>(count());
    List<MemorySegment> texts = second.isEmpty() ? first : second;
    for (int i = 0; i < texts.size(); i++) {
      var text = new TextBytes(wanted.prompt(), texts.get(i));
      try {
        List<TextToken> tokens =
            model.tokenizer().tokens(text, wanted.truncates(), wanted.specialTokens());
        rows.add(Tokenization.json(tokens).getBytes(StandardCharsets.UTF_8));
      } catch (InferenceException wrong) {
        throw named(i, wrong);
      }
    }
    Shape shape = model.config().batches() ? Shape.of(count(), 1) : Shape.of(1);
    MemorySegment target =
        request.allocate(
            TextTensors.TOKENIZATION, DataType.BYTES, shape, BytesElements.byteSize(rows));
    long at = 0;
    for (byte[] row : rows) {
      at = BytesElements.put(target, at, row);
    }
  }

  private static InferenceException named(int row, InferenceException wrong) {
    return new InferenceException(
        wrong.code(), "the text in row %d %s".formatted(row, wrong.getMessage()));
  }

  /**
   * Writes the outputs of rows, each to its own request.
   *
   * @param output of the graph, for exactly these rows
   */
  static void write(TextModel model, Tensor output, List<Row> rows) {
    Shape shape = output.shape();
    int width = Math.toIntExact(shape.dim(shape.rank() - 1));
    long perRow = shape.elementCount() / rows.size();
    var numbers = new Floats(output.data(), output.dataType());
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      float[] vector = vector(model, numbers, i * perRow, row.length(), width);
      row.request().write(row, vector);
    }
  }

  private static float[] vector(
      TextModel model, Floats numbers, long first, int length, int width) {
    float[] vector =
        switch (model.graph().pooling()) {
          case MEAN -> Vectors.mean(numbers, first, length, width);
          case LAST -> Vectors.at(numbers, first + (long) (length - 1) * width, width);
          case CLS, GRAPH -> Vectors.at(numbers, first, width);
        };
    for (DenseLayer layer : model.layers()) {
      vector = layer.apply(vector);
    }
    if (vector.length != model.settings().width()) {
      throw InferenceException.internal(
          "model '%s': output '%s' of its graph has the width %d, expected %d"
              .formatted(
                  model.config().name(),
                  model.graph().output(),
                  vector.length,
                  model.settings().width()));
    }
    return vector;
  }

  private void write(Row row, float[] vector) {
    float[] finished = finished(vector);
    long at = (long) row.index() * finished.length * Float.BYTES;
    MemorySegment.copy(finished, 0, result, Elements.FLOAT, at, finished.length);
  }

  private float[] finished(float[] vector) {
    TextSettings settings = model.settings();
    float[] finished =
        wanted.width() < vector.length ? Arrays.copyOf(vector, wanted.width()) : vector;
    if (settings.task() == Task.EMBEDDING) {
      if (wanted.normalizes()) {
        Vectors.normalize(finished);
      }
    } else if (!wanted.raw()) {
      if (settings.task() == Task.RERANK || settings.independent()) {
        Vectors.sigmoid(finished);
      } else {
        Vectors.softmax(finished);
      }
    }
    return finished;
  }
}
