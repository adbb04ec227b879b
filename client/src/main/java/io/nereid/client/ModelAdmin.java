package io.nereid.client;

import io.nereid.client.model.IndexEntry;
import io.nereid.client.model.ModelMetadata;
import io.nereid.client.model.ModelStatistics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Calls that concern models: {@link NereidClient#models()}. Where a version can be given, {@code
 * ""} leaves the choice to the server.
 */
public final class ModelAdmin {
  private final Caller caller;

  ModelAdmin(Caller caller) {
    this.caller = caller;
  }

  private Management management() {
    return caller.transport().management();
  }

  private String asked(String what, String model) {
    return "%s of model '%s' at %s".formatted(what, model, caller.transport().address());
  }

  /** Whether a model can be used; false if there is none, or if the server cannot be reached. */
  public boolean isReady(String model) {
    return isReady(model, "");
  }

  /** Whether a version of a model can be used. */
  public boolean isReady(String model, String version) {
    return caller.await(isReadyAsync(model, version));
  }

  /** As {@link #isReady(String, String)}. */
  public CompletableFuture<Boolean> isReadyAsync(String model, String version) {
    return caller.check(
        "isModelReady", model, context -> management().isModelReady(model, version, context));
  }

  /** Waits until a model can be used, as {@link ServerAdmin#awaitReady}. */
  public void awaitReady(String model, Duration time) {
    caller.awaitSo(
        "isModelReady", model, time, context -> management().isModelReady(model, "", context));
  }

  /** What a model takes and gives. */
  public ModelMetadata metadata(String model) {
    return metadata(model, "");
  }

  /** What a version of a model takes and gives. */
  public ModelMetadata metadata(String model, String version) {
    return caller.await(metadataAsync(model, version));
  }

  /** As {@link #metadata(String, String)}. */
  public CompletableFuture<ModelMetadata> metadataAsync(String model, String version) {
    return caller.ask(
        "modelMetadata",
        model,
        context ->
            management()
                .modelMetadata(model, version, context)
                .map(asked("metadata", model), ModelMetadata::of));
  }

  /**
   * A model's configuration, completed by the server: the members of Triton's {@code ModelConfig},
   * by their names in {@code config.pbtxt}. Values are maps, lists, strings, numbers and booleans.
   */
  public Map<String, Object> config(String model) {
    return config(model, "");
  }

  /** The configuration of a version of a model. */
  public Map<String, Object> config(String model, String version) {
    return caller.await(configAsync(model, version));
  }

  /** As {@link #config(String, String)}. */
  public CompletableFuture<Map<String, Object>> configAsync(String model, String version) {
    return caller.ask(
        "modelConfig",
        model,
        context ->
            management()
                .modelConfig(model, version, context)
                .map(
                    asked("configuration", model),
                    tree -> Settings.members(tree, "it is no object", value -> value)));
  }

  /** What all models that are ready have done. */
  public List<ModelStatistics> statistics() {
    return statistics("", "");
  }

  /** What a model has done, by version. */
  public List<ModelStatistics> statistics(String model) {
    return statistics(model, "");
  }

  /** What a version of a model has done; what all have, if both are empty. */
  public List<ModelStatistics> statistics(String model, String version) {
    return caller.await(statisticsAsync(model, version));
  }

  /** As {@link #statistics(String, String)}. */
  public CompletableFuture<List<ModelStatistics>> statisticsAsync(String model, String version) {
    return caller.ask(
        "statistics",
        model,
        context ->
            management()
                .statistics(model, version, context)
                .map(asked("statistics", model), ModelStatistics::listOf));
  }

  /** All models in the server's repositories. */
  public List<IndexEntry> index() {
    return caller.await(indexAsync(false));
  }

  /** As {@link #index}. {@code readyOnly}: without those that cannot be used. */
  public CompletableFuture<List<IndexEntry>> indexAsync(boolean readyOnly) {
    String asked = "repository index at " + caller.transport().address();
    return caller.ask(
        "index",
        "",
        context -> management().index(readyOnly, context).map(asked, IndexEntry::listOf));
  }

  /**
   * Loads a model, or loads it again, and waits until it can be used. A load may take longer than
   * the client's time for calls: {@link NereidClient#withDeadline}.
   */
  public void load(String model) {
    caller.await(loadAsync(model, "", Map.of()));
  }

  /**
   * Loads a model with another configuration than that in the repository.
   *
   * @param config in JSON; empty for the repository's
   * @param files instead of all of the repository's, by {@code <version>/<name>}; a configuration
   *     must come with them. Not copied
   */
  public void load(String model, String config, Map<String, byte[]> files) {
    caller.await(loadAsync(model, config, files));
  }

  /** As {@link #load(String, String, Map)}. */
  public CompletableFuture<@Nullable Void> loadAsync(
      String model, String config, Map<String, byte[]> files) {
    Map<String, byte[]> sent = Map.copyOf(files);
    String name = Arguments.model(model);
    return caller.change("load", name, context -> management().load(name, config, sent, context));
  }

  /** Begins to unload a model: requests in flight finish, new ones are refused. */
  public void unload(String model) {
    caller.await(unloadAsync(model, false));
  }

  /** As {@link #unload}. {@code dependents}: with the models that only an ensemble uses. */
  public CompletableFuture<@Nullable Void> unloadAsync(String model, boolean dependents) {
    String name = Arguments.model(model);
    return caller.change("unload", name, context -> management().unload(name, dependents, context));
  }

  /** The settings of a model's traces. */
  public Map<String, List<String>> traceSettings(String model) {
    return updateTraceSettings(model, Map.of());
  }

  /**
   * Changes settings of a model's traces.
   *
   * @param changes an empty list goes back to the server's setting
   * @return all settings
   */
  public Map<String, List<String>> updateTraceSettings(
      String model, Map<String, List<String>> changes) {
    return caller.await(updateTraceSettingsAsync(model, changes));
  }

  /** As {@link #updateTraceSettings}. */
  public CompletableFuture<Map<String, List<String>>> updateTraceSettingsAsync(
      String model, Map<String, List<String>> changes) {
    return Settings.trace(caller, Arguments.model(model), changes);
  }
}
