package io.nereid.error;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The reasons of failures of the operating system, in words: {@code permission denied}. The
 * messages of the JDK's exceptions are often the path alone, which a caller names already.
 */
public final class IoReason {
  /** The message of a stream's exception: the path, then the reason. */
  private static final Pattern IN_BRACKETS = Pattern.compile("\\(([^()]+)\\)$");

  private IoReason() {}

  /** The reason of a failure, without the path that it concerns. */
  public static String of(IOException failure) {
    return switch (failure) {
      case AccessDeniedException _ -> "permission denied";
      case NoSuchFileException _ -> "no such file or directory";
      case NotDirectoryException _ -> "not a directory";
      case DirectoryNotEmptyException _ -> "the directory is not empty";
      case FileAlreadyExistsException _ -> "it exists already";
      case FileSystemLoopException _ -> "the directory contains itself";
      case FileSystemException other -> worded(other.getReason(), other);
      case FileNotFoundException other -> worded(bracketed(other.getMessage()), other);
      case CharacterCodingException _ -> "it is not in the encoding expected";
      case EOFException other -> orElse(other.getMessage(), "it ends early");
      default -> orElse(failure.getMessage(), failure.getClass().getSimpleName());
    };
  }

  /** The reason of a failure, behind the path that it concerns if that is known. */
  public static String withPath(IOException failure) {
    return failure instanceof FileSystemException file && file.getFile() != null
        ? "'%s': %s".formatted(file.getFile(), of(failure))
        : orElse(failure.getMessage(), of(failure));
  }

  /** Why a name cannot be a path. */
  public static String of(InvalidPathException invalid) {
    return of(invalid, System.getProperty("sun.jnu.encoding", ""));
  }

  static String of(InvalidPathException invalid, String encoding) {
    return isByLocale(invalid.getInput(), encoding)
        ? ofLocale(encoding)
        : worded(invalid.getReason(), new IOException(invalid));
  }

  /** Why a name that {@link #isByLocale} cannot be a path. */
  public static String ofLocale() {
    return ofLocale(System.getProperty("sun.jnu.encoding", ""));
  }

  private static String ofLocale(String encoding) {
    return "the locale's encoding is %s, not UTF-8; start with LC_ALL=C.UTF-8".formatted(encoding);
  }

  /**
   * Whether the locale keeps a name from being a path: the JVM encodes paths as the locale says,
   * and has no bytes for some names if that is not UTF-8.
   */
  public static boolean isByLocale(String name) {
    return isByLocale(name, System.getProperty("sun.jnu.encoding", ""));
  }

  private static boolean isByLocale(String name, String encoding) {
    return !encoding.toUpperCase(Locale.ROOT).replace("-", "").equals("UTF8")
        && name.indexOf(0) < 0
        && name.chars().anyMatch(character -> character >= 0x80);
  }

  private static @Nullable String bracketed(@Nullable String message) {
    return Optional.ofNullable(message)
        .map(IN_BRACKETS::matcher)
        .filter(Matcher::find)
        .map(found -> found.group(1))
        .orElse(message);
  }

  /** A reason of the operating system begins as a sentence; here it is a part of one. */
  private static String worded(@Nullable String reason, IOException failure) {
    if (reason == null || reason.isBlank()) {
      return failure.getClass().getSimpleName();
    }
    boolean isWord = reason.length() > 1 && Character.isLowerCase(reason.charAt(1));
    return isWord ? Character.toLowerCase(reason.charAt(0)) + reason.substring(1) : reason;
  }

  private static String orElse(@Nullable String text, String other) {
    return text == null || text.isBlank() ? other : text;
  }
}
