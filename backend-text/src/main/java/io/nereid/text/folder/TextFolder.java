package io.nereid.text.folder;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A folder as Hugging Face lays it out, which is the directory of a version. Parameters of the
 * configuration take precedence over what the files say; what is not served is refused.
 *
 * <pre>{@code
 * config.json                        the architecture; needed
 * tokenizer.json                     needed
 * model.onnx or onnx/model.onnx      the graph; default_model_filename names another
 * tokenizer_config.json, sentence_bert_config.json, config_sentence_transformers.json
 * modules.json, 1_Pooling/, 2_Dense/
 * }</pre>
 */
public final class TextFolder {
  private static final List<String> GRAPHS = List.of("model.onnx", "onnx/model.onnx");
  private static final List<String> WIDTHS = List.of("hidden_size", "dim", "d_model", "n_embd");
  private static final List<String> POSITIONS =
      List.of("max_trained_positions", "max_position_embeddings", "n_positions");

  /** Types whose positions begin behind the padding token's id. */
  private static final List<String> ROBERTA =
      List.of("roberta", "xlm-roberta", "camembert", "xlm-roberta-xl");

  private final ModelFiles files;
  private final TextParameters parameters;
  private final Modules modules;
  private final JsonFile config;

  private TextFolder(
      ModelFiles files, TextParameters parameters, Modules modules, JsonFile config) {
    this.files = files;
    this.parameters = parameters;
    this.modules = modules;
    this.config = config;
  }

  /**
   * Opens a folder.
   *
   * @throws InferenceException if a needed file is missing, or one cannot be read
   */
  public static TextFolder of(ModelFiles files, ModelConfig config) {
    var modules = Modules.of(files);
    Path file = modules.transformer().resolve("config.json");
    JsonFile read =
        JsonFile.read(file)
            .orElseThrow(
                () -> InferenceException.unavailable("unable to find '%s'".formatted(file)));
    return new TextFolder(files, new TextParameters(config), modules, read);
  }

  /** The file of the tokenizer. */
  public Path tokenizer() {
    Path file = modules.transformer().resolve("tokenizer.json");
    if (!Files.isRegularFile(file)) {
      throw InferenceException.unavailable(
          ("unable to find '%s'; a slow tokenizer is converted by Hugging Face's"
                  + " transformers: AutoTokenizer.from_pretrained(folder).save_pretrained(folder)")
              .formatted(file));
    }
    return file;
  }

  /** The graph's file, relative to the folder. */
  public String graph() {
    String named = parameters.config().defaultModelFilename();
    if (!named.isEmpty()) {
      return named;
    }
    return GRAPHS.stream()
        .filter(name -> Files.isRegularFile(files.file(name)))
        .findFirst()
        .orElseThrow(() ->
            InferenceException.unavailable(
                "unable to find %s in '%s'; default_model_filename names another file"
                    .formatted(String.join(" or ", GRAPHS), files.versionDirectory())));
  }

  /** The folders of layers behind the pooling, in order. */
  public List<Path> dense() {
    return modules.dense();
  }

  /** The id of the token that fills rows up. */
  public int padId() {
    return config.id("pad_token_id").orElse(0);
  }

  /** The position of a text's first token. */
  public int firstPosition() {
    return ROBERTA.contains(config.text("model_type").orElse("")) ? padId() + 1 : 0;
  }

  /**
   * What files and parameters say together.
   *
   * @throws InferenceException INVALID_ARGUMENT if they contradict each other, say something that
   *     is not served, or leave out what is needed
   */
  public TextSettings settings() {
    List<String> labels = labels();
    Task task = task(labels.size());
    return new TextSettings(
        task,
        switch (task) {
          case EMBEDDING -> width();
          case RERANK -> 1;
          case CLASSIFY -> labels.size();
        },
        parameters
            .choice(TextParameters.POOLING, List.of(Pooling.values()), Pooling::label)
            .or(modules::pooling),
        parameters.flag(TextParameters.NORMALIZE).orElse(true),
        task == Task.CLASSIFY ? labels : List.of(),
        independent(),
        texts(task));
  }

  private Task task(int labels) {
    List<String> architectures = config.texts("architectures");
    Optional<Task> stated =
        parameters.choice(TextParameters.TASK, List.of(Task.values()), Task::label);
    if (stated.isEmpty() && architectures.isEmpty()) {
      throw InferenceException.invalid(
          "'%s' has no 'architectures', and no parameter 'task' is given".formatted(config.file()));
    }
    String name = architectures.isEmpty() ? "" : architectures.getFirst();
    if (stated.isEmpty() && name.endsWith("ForSequenceClassification")) {
      return labels == 1 ? Task.RERANK : Task.CLASSIFY;
    }
    boolean hasHead = name.matches(".*For(?!MaskedLM|PreTraining|CausalLM|TextEncoding)[A-Z].*");
    if (stated.isEmpty() && hasHead) {
      throw InferenceException.invalid(
          ("'%s' has the architecture '%s', which is not served; parameter 'task' says"
                  + " embedding, rerank or classify")
              .formatted(config.file(), name));
    }
    return stated.orElse(Task.EMBEDDING);
  }

  /** By ids; of a configuration without names, as Hugging Face does, LABEL_0 and so on. */
  private List<String> labels() {
    Optional<List<String>> stated = parameters.list(TextParameters.LABELS);
    if (stated.isPresent()) {
      return stated.get();
    }
    Optional<JsonFile> named = config.object("id2label");
    if (named.isEmpty()) {
      int count = config.count("num_labels").orElse(2);
      if (count > 1 << 20) {
        throw config.invalid("num_labels", "at most " + (1 << 20), count);
      }
      return Stream.iterate(0, id -> id + 1).limit(count).map(id -> "LABEL_" + id).toList();
    }
    Map<String, String> byId = named.get().strings();
    List<String> labels = new ArrayList<>();
    for (int id = 0; id < byId.size(); id++) {
      String label = byId.get(Integer.toString(id));
      if (label == null) {
        throw config.invalid(
            "id2label", "of the ids from 0 to " + (byId.size() - 1), byId.keySet());
      }
      labels.add(label);
    }
    if (labels.isEmpty()) {
      throw config.invalid("id2label", "of one label at least", "none");
    }
    return labels;
  }

  private boolean independent() {
    return parameters
        .choice(TextParameters.ACTIVATION, List.of("softmax", "sigmoid"), name -> name)
        .map("sigmoid"::equals)
        .orElseGet(() ->
            config.text("problem_type").filter("multi_label_classification"::equals).isPresent());
  }

  private int width() {
    Optional<Integer> stated = parameters.count(TextParameters.DIMENSION);
    if (stated.isPresent()) {
      return stated.get();
    }
    if (!dense().isEmpty()) {
      return JsonFile.read(dense().getLast().resolve("config.json"))
          .flatMap(layer -> layer.count("out_features"))
          .orElseThrow(() ->
              InferenceException.invalid(
                  "'%s' has no config.json with 'out_features'".formatted(dense().getLast())));
    }
    return WIDTHS.stream()
        .flatMap(key -> config.count(key).stream())
        .findFirst()
        .orElseThrow(() ->
            InferenceException.invalid(
                "'%s' has none of %s, and no parameter 'dimension' is given"
                    .formatted(config.file(), String.join(", ", WIDTHS))));
  }

  private TextSettings.Texts texts(Task task) {
    Optional<JsonFile> tokenizer = json("tokenizer_config.json");
    tokenizer
        .flatMap(file -> file.text("truncation_side"))
        .filter(side -> side.toLowerCase(Locale.ROOT).equals("left"))
        .ifPresent(_ -> {
          throw InferenceException.invalid(
              "'tokenizer_config.json' says the 'truncation_side' left; texts are cut on the"
                  + " right");
        });
    return new TextSettings.Texts(
        maxTokens(tokenizer),
        parameters.flag(TextParameters.TRUNCATE).orElse(true),
        task == Task.EMBEDDING ? prompts() : new Prompts(Map.of(), ""));
  }

  private int maxTokens(Optional<JsonFile> tokenizer) {
    Optional<Integer> stated = parameters.count(TextParameters.MAX_LENGTH);
    Optional<Integer> positions =
        POSITIONS.stream()
            .flatMap(key -> config.count(key).stream())
            .findFirst()
            .map(count -> count - firstPosition());
    Optional<Integer> limit =
        json("sentence_bert_config.json")
            .flatMap(file -> file.count("max_seq_length"))
            .or(() -> tokenizer.flatMap(file -> file.count("model_max_length")));
    if (stated.isPresent() && positions.isPresent() && stated.get() > positions.get()) {
      throw InferenceException.invalid(
          "parameter 'max_length' is %d, and the model has %d positions"
              .formatted(stated.get(), positions.get()));
    }
    int most =
        stated
            .or(() -> Stream.concat(positions.stream(), limit.stream()).min(Integer::compare))
            .orElseThrow(() ->
                InferenceException.invalid(
                    "no file says how many tokens the model takes: parameter 'max_length' must"));
    if (most < 1) {
      throw config.invalid(POSITIONS.getFirst(), "above the id of the padding token", most);
    }
    return most;
  }

  private Prompts prompts() {
    Optional<JsonFile> file = json("config_sentence_transformers.json");
    Map<String, String> byName =
        parameters
            .strings(TextParameters.PROMPTS)
            .or(() -> file.flatMap(each -> each.object("prompts")).map(JsonFile::strings))
            .orElse(Map.of());
    var prompts =
        new Prompts(
            byName,
            parameters
                .text(TextParameters.PROMPT_NAME)
                .or(() -> file.flatMap(each -> each.text("default_prompt_name")))
                .orElse(""));
    var _ = prompts.byDefault(); // which there must be
    return prompts;
  }

  /** A file of the transformer's folder, or of the whole one. */
  private Optional<JsonFile> json(String name) {
    return JsonFile.read(modules.transformer().resolve(name))
        .or(() -> JsonFile.read(files.versionDirectory().resolve(name)));
  }
}
