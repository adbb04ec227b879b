package io.nereid.server.telemetry.logging;

/**
 * What the log shows, and where.
 *
 * @param file the path of the file; empty for standard error
 * @param info whether information is logged
 * @param warning whether warnings are logged
 * @param error whether errors are logged
 * @param verboseLevel 0: no details; 1: details of the server; 2 and more: information of its
 *     libraries too
 */
public record LogSettings(
    String file, boolean info, boolean warning, boolean error, int verboseLevel, LogFormat format) {
  public static final LogSettings DEFAULT =
      new LogSettings("", true, true, true, 0, LogFormat.DEFAULT);

  public LogSettings {
    if (verboseLevel < 0) {
      throw new IllegalArgumentException("verbose level " + verboseLevel);
    }
  }

  /** Whether lines go to standard error, for people. */
  public boolean isPlainConsole() {
    return file.isEmpty() && format != LogFormat.JSON;
  }

  public LogSettings withInfo(boolean shown) {
    return new LogSettings(file, shown, warning, error, verboseLevel, format);
  }

  public LogSettings withWarning(boolean shown) {
    return new LogSettings(file, info, shown, error, verboseLevel, format);
  }

  public LogSettings withError(boolean shown) {
    return new LogSettings(file, info, warning, shown, verboseLevel, format);
  }

  public LogSettings withVerboseLevel(int level) {
    return new LogSettings(file, info, warning, error, level, format);
  }

  public LogSettings withFormat(LogFormat newFormat) {
    return new LogSettings(file, info, warning, error, verboseLevel, newFormat);
  }
}
