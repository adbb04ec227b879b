package io.nereid.engine;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** Counts the responses that a program has and has not closed, by model. Thread-safe. */
final class OpenResponses {
  private final Map<String, LongAdder> byModel = new ConcurrentHashMap<>();

  void opened(String model) {
    byModel.computeIfAbsent(model, _ -> new LongAdder()).increment();
  }

  void closed(String model) {
    byModel.computeIfAbsent(model, _ -> new LongAdder()).decrement();
  }

  /** Those that are open, such as {@code 2 of model 'simple'}; empty if there are none. */
  Optional<String> describe() {
    String text =
        byModel.entrySet().stream()
            .filter(model -> model.getValue().sum() > 0)
            .sorted(Map.Entry.comparingByKey())
            .map(model -> "%d of model '%s'".formatted(model.getValue().sum(), model.getKey()))
            .collect(Collectors.joining(", "));
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }
}
