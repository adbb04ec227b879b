package io.nereid.server.options.declaration;

import io.nereid.server.frontend.ShownOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/**
 * Options on one topic. A subclass has a field for each, in the order of the help:
 *
 * <pre>{@code
 * private final OptionValue<Integer> maxStreams =
 *     positive("--grpc-max-streams=<count>", 1024).help("Calls in flight of one connection.");
 * }</pre>
 *
 * <p>Before the {@code =} is the name of the option, or several with {@code |} between them; behind
 * it is what the help calls the value.
 */
public abstract class OptionGroup {
  private final List<OptionValue<?>> options = new ArrayList<>();

  /** Called by picocli once the object is made. */
  @Spec
  public void declare(CommandSpec command) {
    options.forEach(option -> command.addOption(option.spec()));
  }

  /** The options as the console shows them, once a command line is parsed. */
  public final List<ShownOption> shown(String topic) {
    return options.stream().map(option -> option.shown(topic)).toList();
  }

  /** Adds the options of another group behind those before. */
  protected final <G extends OptionGroup> G include(G group) {
    options.addAll(((OptionGroup) group).options);
    return group;
  }

  private <T> OptionValue<T> add(
      OptionSpec.Builder declaration, @Nullable T otherwise, @Nullable Object shownDefault) {
    var option =
        new OptionValue<T>(
            declaration.initialValue(otherwise),
            shownDefault == null ? "" : shownDefault.toString());
    options.add(option);
    return option;
  }

  private static OptionSpec.Builder declaration(String usage, Class<?> type) {
    String[] parts = usage.split("=", 2);
    return OptionSpec.builder(parts[0].split("\\|", -1)).paramLabel(parts[1]).type(type);
  }

  /** An option without a default. */
  protected final <T> OptionValue<T> option(String usage, ITypeConverter<T> converter) {
    return add(declaration(usage, Object.class).converters(converter), null, null);
  }

  protected final <T> OptionValue<T> option(
      String usage, ITypeConverter<T> converter, @Nullable T otherwise) {
    return add(declaration(usage, Object.class).converters(converter), otherwise, otherwise);
  }

  /** An option of a type that picocli converts to. */
  protected final <T> OptionValue<T> option(String usage, Class<T> type, @Nullable T otherwise) {
    return add(declaration(usage, type), otherwise, otherwise);
  }

  /** A folder of jars; by default one of the distribution. */
  protected final OptionValue<Path> folder(String name, String ofDistribution) {
    return option(
        name + "=<directory>", Path.class, DistributionFolder.present().resolve(ofDistribution));
  }

  /** An option without a value: whether it is given. */
  protected final OptionValue<Boolean> flag(String name) {
    return add(OptionSpec.builder(name).type(boolean.class), false, null);
  }

  /** An option that may be repeated. */
  protected final <T> OptionValue<List<T>> list(String usage, ITypeConverter<T> converter) {
    return add(
        declaration(usage, List.class).auxiliaryTypes(Object.class).converters(converter),
        List.of(),
        null);
  }

  protected final OptionValue<Boolean> toggle(String name, @Nullable Boolean otherwise) {
    return option(name + "=<boolean>", OptionConverters::toggle, otherwise);
  }

  protected final OptionValue<Integer> count(String usage, int otherwise) {
    return option(usage, OptionConverters::count, otherwise);
  }

  protected final OptionValue<Integer> positive(String usage, int otherwise) {
    return option(usage, OptionConverters::positive, otherwise);
  }

  /** A time above zero, in the unit that the help calls the value. */
  protected final OptionValue<Duration> time(String usage, @Nullable Duration otherwise) {
    return time(usage, OptionConverters::positive, otherwise);
  }

  /** As {@link #time}; zero has a meaning of its own. */
  protected final OptionValue<Duration> timeOrZero(String usage, Duration otherwise) {
    return time(usage, OptionConverters::count, otherwise);
  }

  private OptionValue<Duration> time(
      String usage, ITypeConverter<Integer> number, @Nullable Duration otherwise) {
    ChronoUnit unit = usage.endsWith("<seconds>") ? ChronoUnit.SECONDS : ChronoUnit.MILLIS;
    return add(
        declaration(usage, Object.class)
            .converters((ITypeConverter<?>) text -> Duration.of(number.convert(text), unit)),
        otherwise,
        otherwise == null ? null : otherwise.dividedBy(unit.getDuration()));
  }
}
