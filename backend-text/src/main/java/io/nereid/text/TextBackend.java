package io.nereid.text;

import io.nereid.config.BatchingSettings;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.OwnCalls;
import io.nereid.spi.metrics.BackendMetrics;
import io.nereid.text.folder.TextFolder;
import io.nereid.text.folder.TextParameters;
import io.nereid.text.folder.TextSettings;
import io.nereid.text.tokenizer.TextTokenizer;
import io.nereid.text.tokenizer.TokenizerLibrary;
import io.nereid.text.vector.DenseLayer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The backend {@code text}. Its options:
 *
 * <ul>
 *   <li>{@code default-max-batch-size}: of models whose configuration has none;
 *   <li>{@code cache-directory}: the folder for a copy of the tokenizers' library;
 *   <li>{@code client-tokenizers}: whether models are served that a load request brings: their
 *       {@code tokenizer.json} is read by native code that ends the process where it does not
 *       expect something.
 * </ul>
 */
final class TextBackend implements Backend {
  /** The part that runs the graph. */
  static final String GRAPH = "graph";

  /** Of a request: a list of a client. What is run together is {@link RunLimits}. */
  private static final int MAX_BATCH_SIZE = 2048;

  /** Of a model and of its graph, unless the configuration says otherwise. */
  static final int INSTANCES = 2;

  private static final String CLIENT_TOKENIZERS = "client-tokenizers";

  private final BackendMetrics metrics;
  private final TokenizerLibrary library;
  private final int defaultMaxBatchSize;
  private final boolean clientTokenizers;

  private TextBackend(
      BackendMetrics metrics,
      TokenizerLibrary library,
      int defaultMaxBatchSize,
      boolean clientTokenizers) {
    this.metrics = metrics;
    this.library = library;
    this.defaultMaxBatchSize = defaultMaxBatchSize;
    this.clientTokenizers = clientTokenizers;
  }

  static TextBackend open(BackendContext context) {
    var options = context.options();
    int rows = options.integer("default-max-batch-size", MAX_BATCH_SIZE, 0, 1 << 20);
    boolean clients = options.flag(CLIENT_TOKENIZERS, false);
    return new TextBackend(
        context.metrics(),
        TokenizerLibrary.open(context.folder(), options.path("cache-directory")),
        rows,
        clients);
  }

  @Override
  public ModelConfig complete(ModelFiles files, ModelConfig config) {
    return named(config, () -> completed(files, config));
  }

  private ModelConfig completed(ModelFiles files, ModelConfig config) {
    TextFolder folder = TextFolder.of(files, config);
    TextSettings settings = folder.settings();
    Map<String, String> parameters = new HashMap<>(TextParameters.of(settings));
    if (DynamicQuantization.isIn(files.file(folder.graph()))) {
      parameters.put(TextParameters.ONE_TEXT_PER_RUN, "true");
    }
    parameters.putAll(config.parameters());
    boolean isBare = config.inputs().isEmpty() && config.outputs().isEmpty();
    int rows = isBare && !config.batches() ? defaultMaxBatchSize : config.maxBatchSize();
    var completed =
        config.toBuilder()
            .parameters(parameters)
            .build()
            .withSignature(
                rows, TextTensors.inputs(settings, config), TextTensors.outputs(settings, config));
    TextTensors.check(completed, settings);
    int preferred = Math.min(rows, RunLimits.mostTexts(completed));
    return rows > 1 && config.scheduling() instanceof SchedulingSettings.Direct
        ? completed.withScheduling(BatchingSettings.of(List.of(preferred), 0))
        : completed;
  }

  /** Failures name the model. */
  private static <T> T named(ModelConfig config, Supplier<T> action) {
    try {
      return action.get();
    } catch (InferenceException failed) {
      String message = String.valueOf(failed.getMessage());
      throw new InferenceException(
          failed.code(),
          message.contains("model '" + config.name())
              ? message
              : "unable to load model '%s': %s".formatted(config.name(), message),
          failed);
    }
  }

  @Override
  public List<String> warnings(ModelConfig config) {
    boolean isAlone = "true".equals(config.parameters().get(TextParameters.ONE_TEXT_PER_RUN));
    return isAlone && config.maxBatchSize() != 1
        ? List.of(
            ("model '%s': its graph runs one text at a time, since what is quantised dynamically"
                    + " gives a text another vector beside others; parameter 'one_text_per_run' false"
                    + " runs them together")
                .formatted(config.name()))
        : List.of();
  }

  @Override
  public boolean runsCodeOf(ModelConfig config) {
    return false;
  }

  /** One prepares its batch while the graph of the other runs. */
  @Override
  public int defaultInstanceCount(InstanceSettings.Kind kind) {
    return INSTANCES;
  }

  @Override
  public Model load(ModelFiles files, ModelConfig config) {
    throw InferenceException.unsupported(
        "model '%s': its graph is a part of it, which needs calls of its own"
            .formatted(config.name()));
  }

  @Override
  public Model load(ModelFiles files, ModelConfig config, OwnCalls calls) {
    return named(config, () -> loaded(files, config, calls));
  }

  private Model loaded(ModelFiles files, ModelConfig config, OwnCalls calls) {
    if (files.trust() == ModelFiles.Trust.CLIENT && !clientTokenizers) {
      throw InferenceException.invalid(
          "it came with a load request, and its tokenizer is read by native code that can end the"
              + " process; --backend-config=text,%s=true allows it".formatted(CLIENT_TOKENIZERS));
    }
    TextFolder folder = TextFolder.of(files, config);
    TextSettings settings = folder.settings();
    TextTensors.check(config, settings);
    ModelConfig part = calls.loadPart(graph(folder, config));
    Graph graph = Graph.of(part, folder, settings);
    List<DenseLayer> layers =
        graph.isPooled() ? List.of() : folder.dense().stream().map(DenseLayer::read).toList();
    graph.requireWidth(settings.width(), layers);
    TextTokenizer tokenizer =
        TextTokenizer.open(library, folder.tokenizer(), settings.texts().maxTokens());
    TextMetrics counted = TextMetrics.of(metrics.forModel(config.name(), files.version()));
    return new TextModel(config, settings, tokenizer, graph, layers, calls, counted);
  }

  private static ModelConfig graph(TextFolder folder, ModelConfig config) {
    Map<String, String> parameters = new HashMap<>();
    parameters.put("intra_op_thread_count", Integer.toString(threads()));
    parameters.putAll(new TextParameters(config).ofGraph());
    return ModelConfig.of(GRAPH, "onnxruntime").toBuilder()
        .maxBatchSize(RunLimits.mostTexts(config))
        .defaultModelFilename(folder.graph())
        .parameters(parameters)
        .build();
  }

  /** Of each run, so that the runs of all instances together have a processor for each thread. */
  private static int threads() {
    return Math.max(1, Runtime.getRuntime().availableProcessors() / INSTANCES);
  }

  @Override
  public void close() {
    // The library stays for other engines, and models hold the rest.
  }
}
