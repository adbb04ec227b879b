package io.nereid.tools.data;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reads CSV as RFC 4180 has it, in UTF-8, with or without a byte order mark; a name that ends with
 * {@code .gz} has it compressed. A first line of numbers only may be names, as pandas gives them to
 * columns, or a row: the user says which.
 */
final class CsvFile {
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

  /** What the JDK decodes bytes to that are not of UTF-8. */
  private static final char NOT_UTF_8 = '\uFFFD';

  /** Begins with the byte 80 and the protocol, 2 to 5. */
  private static final Pattern PICKLE = Pattern.compile(NOT_UTF_8 + "[\\x02-\\x05]");

  private CsvFile() {}

  /**
   * @throws DataException if it is no CSV
   * @throws IOException if it cannot be read
   */
  static Table read(Path file, TextFormat format) throws IOException {
    List<Table.Row> rows = new ArrayList<>();
    List<String> names = List.of();
    try (InputStream bytes = Files.newInputStream(file);
        CsvReader<CsvRecord> lines =
            CsvReader.builder()
                .fieldSeparator(format.separator())
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .detectBomHeader(true)
                .ofCsvRecord(
                    file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes)) {
      boolean isFirst = true;
      for (CsvRecord line : lines) {
        requireText(line, file);
        if (isFirst && hasNames(line, file, format)) {
          names = List.copyOf(line.getFields());
        } else {
          rows.add(
              new Table.Row("line " + line.getStartingLineNumber(), List.copyOf(line.getFields())));
        }
        isFirst = false;
      }
    } catch (CsvParseException | ZipException wrong) {
      throw new DataException("'%s' is no CSV: %s".formatted(file, wrong.getMessage()));
    } catch (UncheckedIOException unreadable) {
      throw unreadable.getCause();
    }
    return new Table(file.toString(), names, rows);
  }

  private static void requireText(CsvRecord line, Path file) {
    for (String cell : line.getFields()) {
      if (cell.indexOf(NOT_UTF_8) >= 0) {
        throw new DataException(
            PICKLE.matcher(cell).lookingAt()
                ? "'%s' is a pickle of Python, expected a CSV".formatted(file)
                : "'%s', line %d: it is not UTF-8".formatted(file, line.getStartingLineNumber()));
      }
    }
  }

  private static boolean hasNames(CsvRecord first, Path file, TextFormat format) {
    return switch (format.header()) {
      case YES -> true;
      case NO -> false;
      case UNSAID -> {
        if (first.getFields().stream().allMatch(CsvFile::isOfNumbers)) {
          throw new DataException(
              "the first line of '%s' has numbers only: say --header if they are names of columns, --no-header if it is a row"
                  .formatted(file));
        }
        yield true;
      }
    };
  }

  /** Whether a row of numbers may have the cell. */
  private static boolean isOfNumbers(String cell) {
    return ElementBuffer.isMissing(cell) || isNumber(cell);
  }

  static boolean isNumber(String cell) {
    return NUMBER.matcher(cell.strip()).matches();
  }
}
