package io.nereid.client;

import io.nereid.client.model.ServerMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Calls that concern the server as a whole: {@link NereidClient#server()}. */
public final class ServerAdmin {
  private final Caller caller;

  ServerAdmin(Caller caller) {
    this.caller = caller;
  }

  private Management management() {
    return caller.transport().management();
  }

  /** Whether the server answers; false if it cannot be reached. */
  public boolean isLive() {
    return caller.await(isLiveAsync());
  }

  /** As {@link #isLive}. */
  public CompletableFuture<Boolean> isLiveAsync() {
    return caller.check("isLive", "", context -> management().isLive(context));
  }

  /** Whether the server's models can be used; false if it cannot be reached. */
  public boolean isReady() {
    return caller.await(isReadyAsync());
  }

  /** As {@link #isReady}. */
  public CompletableFuture<Boolean> isReadyAsync() {
    return caller.check("isReady", "", context -> management().isReady(context));
  }

  /**
   * Waits until the server's models can be used, as after its start.
   *
   * @param time the longest wait
   * @throws NereidException DEADLINE_EXCEEDED if they cannot be used by then; at once with what is
   *     wrong if the server cannot be asked, such as UNAUTHENTICATED
   */
  public void awaitReady(Duration time) {
    caller.awaitSo("isReady", "", time, context -> management().isReady(context));
  }

  /** Name, version and extensions. */
  public ServerMetadata metadata() {
    return caller.await(metadataAsync());
  }

  /** As {@link #metadata}. */
  public CompletableFuture<ServerMetadata> metadataAsync() {
    return caller.ask(
        "serverMetadata",
        "",
        context ->
            management()
                .serverMetadata(context)
                .map("metadata of " + caller.transport().address(), ServerMetadata::of));
  }

  /** The settings of traces, by name; those of one value have a list of one. */
  public Map<String, List<String>> traceSettings() {
    return updateTraceSettings(Map.of());
  }

  /** As {@link #traceSettings}. */
  public CompletableFuture<Map<String, List<String>>> traceSettingsAsync() {
    return updateTraceSettingsAsync(Map.of());
  }

  /**
   * Changes settings of traces, such as {@code trace_level}.
   *
   * @param changes an empty list goes back to what the server was started with
   * @return all settings
   */
  public Map<String, List<String>> updateTraceSettings(Map<String, List<String>> changes) {
    return caller.await(updateTraceSettingsAsync(changes));
  }

  /** As {@link #updateTraceSettings}. */
  public CompletableFuture<Map<String, List<String>>> updateTraceSettingsAsync(
      Map<String, List<String>> changes) {
    return Settings.trace(caller, "", changes);
  }

  /** The settings of the log, by name: each a {@code Boolean}, {@code Long} or {@code String}. */
  public Map<String, Object> logSettings() {
    return updateLogSettings(Map.of());
  }

  /** As {@link #logSettings}. */
  public CompletableFuture<Map<String, Object>> logSettingsAsync() {
    return updateLogSettingsAsync(Map.of());
  }

  /**
   * Changes settings of the log, such as {@code log_verbose_level}.
   *
   * @param changes each a {@code Boolean}, {@code Integer}, {@code Long} or {@code String}
   * @return all settings
   */
  public Map<String, Object> updateLogSettings(Map<String, ?> changes) {
    return caller.await(updateLogSettingsAsync(changes));
  }

  /** As {@link #updateLogSettings}. */
  public CompletableFuture<Map<String, Object>> updateLogSettingsAsync(Map<String, ?> changes) {
    return Settings.log(caller, changes);
  }
}
