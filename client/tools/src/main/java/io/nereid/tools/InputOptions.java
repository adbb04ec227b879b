package io.nereid.tools;

import com.google.gson.JsonElement;
import io.nereid.client.InferRequest;
import io.nereid.client.model.TensorMetadata;
import io.nereid.tools.data.DataException;
import io.nereid.tools.data.JsonRequest;
import io.nereid.tools.data.StrictJson;
import io.nereid.tools.data.TensorFile;
import io.nereid.tools.data.TextFormat;
import io.nereid.tools.data.WantedTensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a model is asked. */
final class InputOptions {
  private static final String STDIN = "-";

  @ArgGroup(exclusive = true)
  private @Nullable Source source;

  @Mixin private RowOptions rows = new RowOptions();

  /** One of these. */
  static final class Source {
    @Option(
        names = "--csv",
        paramLabel = "<file>",
        description = "Rows of a CSV; - reads standard input.")
    private @Nullable String csv;

    @Option(
        names = "--json",
        paramLabel = "<file or text>",
        description = {
          "JSON, or a file of it; - reads standard input. {\"age\": 41, \"city\": \"Bern\"} is a row,"
              + " an array of such are rows, [[41, 2.5], [17, 3]] rows without names, {\"inputs\":"
              + " [...]} a request as the v2 protocol has it."
        })
    private @Nullable String json;

    @Option(
        names = "--npz",
        paramLabel = "<file>",
        description = "Arrays that NumPy wrote: by the names of inputs, or the only one.")
    private @Nullable Path npz;
  }

  /**
   * Reads what the user gave.
   *
   * @param usual the most rows of a request, if the user does not say; empty for what the model
   *     takes
   * @throws DataException if it does not fit the model, or there is nothing
   */
  ModelRequests read(AskedModel model, Optional<Integer> usual, List<String> outputs)
      throws IOException {
    WantedTensors inputs = model.config().inputs(model.metadata());
    TextFormat format = rows.format();
    Source given = source;
    if (given == null) {
      throw new DataException(
          "nothing to ask: --csv, --json or --npz; model '%s' takes %s"
              .formatted(model.metadata().name(), described(inputs.tensors())));
    }
    String csv = given.csv;
    String fileOrText = given.json;
    TensorFile file;
    if (csv != null) {
      file = TensorFile.ofCsv(path(csv), inputs, format);
    } else if (fileOrText != null) {
      JsonElement json = json(fileOrText);
      if (JsonRequest.isRequest(json)) {
        InferRequest.Builder request = model.request();
        JsonRequest.read("--json", json, request);
        request.outputs(outputs.toArray(String[]::new));
        return ModelRequests.of(request.build());
      }
      file = TensorFile.ofJson("--json", json, inputs, format);
    } else {
      file = TensorFile.read(Objects.requireNonNull(given.npz), inputs, format);
    }
    return ModelRequests.of(model, file, batch().or(() -> usual), outputs);
  }

  /** Whether there is anything to read. */
  boolean isGiven() {
    return source != null;
  }

  /** The most rows of a request, if the user says. */
  Optional<Integer> batch() {
    return rows.batch();
  }

  private static Path path(String file) throws IOException {
    return file.equals(STDIN) ? Path.of("/dev/stdin") : TensorFile.existing(Path.of(file));
  }

  private static JsonElement json(String fileOrText) throws IOException {
    String start = fileOrText.stripLeading();
    if (!start.startsWith("{") && !start.startsWith("[")) {
      return StrictJson.read(path(fileOrText));
    }
    return StrictJson.parse("--json", fileOrText);
  }

  private static String described(List<TensorMetadata> inputs) {
    return inputs.stream()
        .map(input -> "%s %s%s".formatted(input.name(), input.dataType(), input.shape()))
        .collect(Collectors.joining(", "));
  }
}
