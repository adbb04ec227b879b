package io.nereid.server.frontend;

import io.nereid.engine.plugin.PluginContext;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.plugin.ProviderSearch;
import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The front ends that are optional parts: those that options set, from folders of jars or the class
 * path. Of providers with one name the first counts. Used by one thread.
 */
public final class FrontEndCatalog {
  /**
   * A front end that options ask for.
   *
   * @param settings without those of the listener
   */
  public record Wanted(Listener listener, Map<String, String> settings) {}

  private static final System.Logger LOG = System.getLogger(FrontEndCatalog.class.getName());
  private static final int MAX_PORT = 65_535;

  private final PluginSettings settings;
  private final Map<String, FrontEndProvider> providers = new TreeMap<>();

  /** Why folders do not work, by name. */
  private final Map<String, Throwable> failures = new TreeMap<>();

  private FrontEndCatalog(PluginSettings settings) {
    this.settings = settings;
  }

  /** Searches for providers, if options ask for a front end. */
  public static FrontEndCatalog of(PluginSettings settings) {
    var catalog = new FrontEndCatalog(settings);
    if (!settings.settings().isEmpty()) {
      new ProviderSearch<>(FrontEndProvider.class, "front end", catalog::add, catalog::fail)
          .run(settings.directory());
    }
    return catalog;
  }

  private void add(FrontEndProvider provider, String where) {
    if (providers.putIfAbsent(provider.name(), provider) != null) {
      LOG.log(Level.WARNING, "{0} of {1} is ignored: there is one already", provider.name(), where);
    }
  }

  private void fail(String name, Throwable cause) {
    failures.put(name, cause);
  }

  /**
   * The front ends that options ask for, by name.
   *
   * @param address where they listen unless they say otherwise
   * @throws InferenceException INVALID_ARGUMENT if one has no port, or one that is not valid
   */
  public List<Wanted> wanted(String address) {
    return new TreeMap<>(settings.settings())
        .entrySet().stream().map(each -> wanted(each.getKey(), each.getValue(), address)).toList();
  }

  private static Wanted wanted(String name, Map<String, String> settings, String address) {
    Map<String, String> others = new HashMap<>(settings);
    String where = others.remove("address");
    int port = port(name, others.remove("port"));
    return new Wanted(
        new Listener(name, where == null ? address : where, port, /* reusesPort= */ false),
        Map.copyOf(others));
  }

  private static int port(String name, @Nullable String text) {
    try {
      int port = text == null ? -1 : Integer.parseInt(text);
      if (port >= 0 && port <= MAX_PORT) {
        return port;
      }
    } catch (NumberFormatException notANumber) {
      // said below
    }
    throw InferenceException.invalid(
        "--front-end-config=%s,port must be a number from 0 to %d, but %s"
            .formatted(name, MAX_PORT, text == null ? "is not set" : "'" + text + "' was given"));
  }

  /**
   * Makes a front end.
   *
   * @throws InferenceException UNAVAILABLE if there is no such part, or its classes cannot be
   *     loaded; INVALID_ARGUMENT if a setting is not valid
   */
  public FrontEnd open(Wanted wanted, FrontEndServices services) {
    String name = wanted.listener.name();
    FrontEndProvider provider = provider(name);
    try (var _ = new PluginContext(provider)) {
      return provider.open(wanted.listener, wanted.settings, services);
    } catch (LinkageError broken) {
      throw unusable(name, broken);
    }
  }

  /**
   * What makes the front ends of a name.
   *
   * @throws InferenceException UNAVAILABLE if there is no such part, or its classes cannot be
   *     loaded
   */
  public FrontEndProvider provider(String name) {
    FrontEndProvider provider = providers.get(name);
    if (provider == null) {
      Throwable failure = failures.get(name);
      throw failure == null
          ? InferenceException.unavailable(
              "--front-end-config=%s: there is no such front end in %s"
                  .formatted(name, settings.directory()))
          : unusable(name, failure);
    }
    return provider;
  }

  private InferenceException unusable(String name, Throwable cause) {
    return InferenceException.unavailable(
        "--front-end-config=%s: the jars in %s cannot be used: %s"
            .formatted(name, settings.directory().resolve(name), cause));
  }
}
