package io.nereid.tck.repository;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.support.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * As much of a configuration as the rules of model control use, searched for in its text.
 *
 * @param text in text format or JSON
 */
record PlainConfig(String text) {
  private static final Pattern MAX_BATCH_SIZE = Pattern.compile("max_batch_size\"?: *(\\d+)");
  private static final Pattern INSTANCES =
      Pattern.compile("instance_group \\{ count: (\\d+)[^}]*}");
  private static final Pattern VERSION = Pattern.compile("versions: (\\d+)");

  /** Whether a configuration in text format can be read. */
  boolean isReadable() {
    return !text.contains("no_such_field") && !text.contains("\"many\"");
  }

  /** Whether a configuration in JSON can be read, and is the model's. */
  boolean isReadableJson(String model) {
    try {
      Map<?, ?> config = Json.object(text.getBytes(UTF_8));
      return isReadable() && (!config.containsKey("name") || model.equals(config.get("name")));
    } catch (AssertionError malformed) {
      return false;
    }
  }

  /** Why a model of this name cannot be loaded; empty if it can. */
  Optional<String> failure(String model) {
    if (text.contains("backend: \"absent\"")) {
      return Optional.of(
          "Invalid argument: unable to find backend library for backend 'absent', try specifying"
              + " runtime on the model configuration.");
    }
    return text.contains("OTHER")
        ? Optional.of(RepositoryFolder.reasonOfBroken(model))
        : Optional.empty();
  }

  long maxBatchSize() {
    return number(MAX_BATCH_SIZE, 0);
  }

  long instances() {
    return number(INSTANCES, 1);
  }

  boolean differsInInstancesOnly(PlainConfig other) {
    return INSTANCES
        .matcher(text)
        .replaceAll("")
        .equals(INSTANCES.matcher(other.text).replaceAll(""));
  }

  /** The versions of the policy, of those that there are, ascending. */
  List<Long> select(List<Long> available) {
    if (text.contains("version_policy { all")) {
      return available;
    }
    if (text.contains("version_policy { specific")) {
      long wanted = number(VERSION, 0);
      return available.stream().filter(version -> version == wanted).toList();
    }
    return available.subList(Math.max(0, available.size() - 1), available.size());
  }

  private long number(Pattern pattern, long otherwise) {
    Matcher found = pattern.matcher(text);
    return found.find() ? Long.parseLong(found.group(1)) : otherwise;
  }
}
