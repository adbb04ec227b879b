package io.nereid.server.support;

import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.echo.StatelessBackend;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Text models with the signature of all, whose outputs follow from the texts. The vector of a text
 * is its bytes, its words and 0.5; its tokens are its words and two. Some texts make it fail.
 */
public final class TextStandIn implements BackendProvider {
  /** The text that waits until its request is cancelled. */
  public static final String WAIT = "wait";

  /** The text for which the server is overloaded, as its model says. */
  public static final String OVERLOAD = "overload";

  /** The text whose numbers are none. */
  public static final String NOT_A_NUMBER = "nan";

  /** The text that is too long, unless it may be truncated. */
  public static final String LONG = "long";

  /** The requests that were executed, with their parameters. */
  public static final LinkedBlockingQueue<InferenceRequest> EXECUTED = new LinkedBlockingQueue<>();

  private static final int DIMENSION = 3;

  /** The configuration of a model of a task, with more lines. */
  public static String config(String task, String output, String more) {
    return """
    backend: "text-stand-in"
    max_batch_size: 8
    input { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
    output { name: "TOKENS" data_type: TYPE_INT32 dims: [ 1 ] }
    output { name: "TOKENIZATION" data_type: TYPE_STRING dims: [ 1 ] }
    parameters { key: "task" value { string_value: "%s" } }
    output { name: "%s" data_type: TYPE_FP32 dims: [ -1 ] }
    """
            .formatted(task, output)
        + more;
  }

  @Override
  public String name() {
    return "text-stand-in";
  }

  @Override
  public Backend open(BackendContext context) {
    return new StatelessBackend(_ -> {}, TextStandIn::execute);
  }

  private static void execute(Batch batch, Results results) {
    for (int i = 0; i < batch.size(); i++) {
      EXECUTED.add(batch.request(i));
      try {
        execute(batch, i, results);
      } catch (InferenceException refused) {
        results.fail(i, refused);
      }
    }
  }

  private static void execute(Batch batch, int index, Results results) {
    Map<String, Parameter> parameters = batch.request(index).options().parameters();
    List<String> texts = texts(batch.input(index, "TEXT").orElseThrow());
    for (String text : texts) {
      check(text, parameters, batch);
    }
    if (results.wants(index, "EMBEDDING")) {
      int dimension =
          parameters.get("dimensions") instanceof Parameter.OfLong(long given)
              ? (int) given
              : DIMENSION;
      MemorySegment target = floats(results, index, "EMBEDDING", texts.size(), dimension);
      for (int i = 0; i < texts.size(); i++) {
        float[] vector = {texts.get(i).length(), words(texts.get(i)), 0.5f};
        for (int j = 0; j < dimension; j++) {
          target.set(
              Elements.FLOAT,
              4L * ((long) i * dimension + j),
              texts.get(i).equals(NOT_A_NUMBER) ? Float.NaN : vector[j]);
        }
      }
    }
    if (results.wants(index, "SCORE")) {
      List<String> queries = texts(batch.input(index, "QUERY").orElseThrow());
      MemorySegment target = floats(results, index, "SCORE", texts.size(), 1);
      for (int i = 0; i < texts.size(); i++) {
        float score = queries.get(i).equals(texts.get(i)) ? 1 : texts.get(i).length() / 100f;
        target.set(Elements.FLOAT, 4L * i, score);
      }
    }
    if (results.wants(index, "SCORES")) {
      MemorySegment target = floats(results, index, "SCORES", texts.size(), 2);
      for (int i = 0; i < texts.size(); i++) {
        float good = texts.get(i).contains("good") ? 0.75f : 0.25f;
        target.set(Elements.FLOAT, 8L * i, 1 - good);
        target.set(Elements.FLOAT, 8L * i + 4, good);
      }
    }
    if (results.wants(index, "TOKENS")) {
      MemorySegment target =
          results.allocate(
              index, "TOKENS", DataType.INT32, Shape.of(texts.size(), 1), 4L * texts.size());
      for (int i = 0; i < texts.size(); i++) {
        target.set(Elements.INT, 4L * i, words(texts.get(i)) + 2);
      }
    }
    if (results.wants(index, "TOKENIZATION")) {
      List<byte[]> tokens = new ArrayList<>();
      for (String text : texts) {
        tokens.add("[{\"id\":%d}]".formatted(text.length()).getBytes(StandardCharsets.UTF_8));
      }
      long byteSize = BytesElements.byteSize(tokens);
      MemorySegment target =
          results.allocate(
              index, "TOKENIZATION", DataType.BYTES, Shape.of(texts.size(), 1), byteSize);
      long offset = 0;
      for (byte[] each : tokens) {
        BytesElements.put(target, offset, each);
        offset += BytesElements.PREFIX + each.length;
      }
    }
  }

  private static void check(String text, Map<String, Parameter> parameters, Batch batch) {
    switch (text) {
      case OVERLOAD ->
          throw InferenceException.exhausted("too many requests", Duration.ofSeconds(3));
      case LONG -> {
        if (!new Parameter.OfBoolean(true).equals(parameters.get("truncate"))) {
          throw InferenceException.invalid("a text has 600 tokens, and may have 512");
        }
      }
      case WAIT -> {
        var cancelled = new CountDownLatch(1);
        batch.onCancel(cancelled::countDown);
        try {
          cancelled.await();
        } catch (InterruptedException stopped) {
          Thread.currentThread().interrupt();
        }
      }
      default -> {}
    }
  }

  private static MemorySegment floats(
      Results results, int index, String output, int rows, int columns) {
    return results.allocate(
        index, output, DataType.FP32, Shape.of(rows, columns), 4L * rows * columns);
  }

  private static List<String> texts(Tensor tensor) {
    List<String> texts = new ArrayList<>();
    BytesElements.forEach(
        tensor.data(),
        (offset, byteSize) ->
            texts.add(
                new String(
                    tensor.data().asSlice(offset, byteSize).toArray(Elements.BYTE),
                    StandardCharsets.UTF_8)));
    return texts;
  }

  private static int words(String text) {
    return text.isBlank() ? 0 : text.strip().split("\\s+", -1).length;
  }
}
