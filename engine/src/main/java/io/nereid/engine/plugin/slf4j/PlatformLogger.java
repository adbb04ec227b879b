package io.nereid.engine.plugin.slf4j;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** A logger of SLF4J that logs by the {@link System.Logger} of its name. */
final class PlatformLogger extends LegacyAbstractLogger {
  @Serial private static final long serialVersionUID = 1;

  /** Read from the stream is a logger that the factory has made, by the API. */
  private final transient System.Logger platform;

  PlatformLogger(String name) {
    this.name = name;
    this.platform = System.getLogger(name);
  }

  @Override
  public boolean isTraceEnabled() {
    return platform.isLoggable(System.Logger.Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return platform.isLoggable(System.Logger.Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return platform.isLoggable(System.Logger.Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return platform.isLoggable(System.Logger.Level.WARNING);
  }

  @Override
  public boolean isErrorEnabled() {
    return platform.isLoggable(System.Logger.Level.ERROR);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      String pattern,
      Object @Nullable [] arguments,
      @Nullable Throwable thrown) {
    platform.log(level(level), MessageFormatter.basicArrayFormat(pattern, arguments), thrown);
  }

  private static System.Logger.Level level(Level level) {
    return switch (level) {
      case ERROR -> System.Logger.Level.ERROR;
      case WARN -> System.Logger.Level.WARNING;
      case INFO -> System.Logger.Level.INFO;
      case DEBUG -> System.Logger.Level.DEBUG;
      case TRACE -> System.Logger.Level.TRACE;
    };
  }
}
