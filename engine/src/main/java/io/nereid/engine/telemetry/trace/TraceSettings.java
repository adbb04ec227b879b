package io.nereid.engine.telemetry.trace;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The settings by which requests are sampled and traces are written.
 *
 * @param levels empty: requests are not traced
 * @param rate one request of so many is sampled; 0 for none but those with a client's context
 * @param count how many requests are still to be sampled; -1 for any number
 * @param logFrequency how many traces each file has, {@code <file>.0} being the first; 0 for one
 *     file with all
 * @param destination where traces go
 */
public record TraceSettings(
    Set<TraceLevel> levels, long rate, int count, long logFrequency, TraceDestination destination) {
  public static final TraceSettings DEFAULT =
      new TraceSettings(Set.of(), 1000, -1, 0, new TraceDestination.Files(""));

  public TraceSettings {
    levels = Set.copyOf(levels);
  }

  /** The names of the levels; {@code OFF} if there is none. */
  public List<String> levelNames() {
    return levels.isEmpty()
        ? List.of("OFF")
        : levels.stream().sorted().map(TraceLevel::name).toList();
  }

  /** Why no request can be traced although there is a level; empty if there is no such reason. */
  public Optional<String> obstacle() {
    if (levels.isEmpty()) {
      return Optional.empty();
    }
    return switch (destination) {
      case TraceDestination.Files _ when rate == 0 -> Optional.of("sample rate must be non-zero");
      case TraceDestination.Files(String path, _, _, _) when path.isEmpty() ->
          Optional.of("trace file name is not given");
      case TraceDestination.Files _, TraceDestination.OpenTelemetry _ -> Optional.empty();
    };
  }
}
