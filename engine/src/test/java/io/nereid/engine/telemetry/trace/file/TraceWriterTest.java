package io.nereid.engine.telemetry.trace.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceLevel;
import io.nereid.engine.telemetry.trace.TraceSampler;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.engine.testing.LogCapture;
import io.nereid.request.ModelKey;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The files of traces. Source: Triton, protocol documentation, extension_trace.md. */
@Timeout(60)
class TraceWriterTest {
  @TempDir private Path folder;
  private Path file;
  private TraceWriter writer;

  @BeforeEach
  void create() {
    file = folder.resolve("trace.json");
    writer = TraceWriter.stopped(new TraceDestination.Files(file.toString()), 1_000);
  }

  private Tracer tracer(int count, long logFrequency) {
    var settings =
        new TraceSettings(
            Set.of(TraceLevel.TIMESTAMPS),
            1,
            count,
            logFrequency,
            new TraceDestination.Files(file.toString()));
    return new Tracer(settings, ClientSettings.ALL, () -> 7, writer);
  }

  /** Traces requests with these ids. */
  private static void trace(Tracer tracer, String... ids) {
    for (String id : ids) {
      try (RequestTrace trace = tracer.sample("m", "", (_, _) -> Optional.empty())) {
        if (trace != null) {
          trace.begin(new ModelKey("m", 2), id, 5);
          trace.end();
        }
      }
    }
  }

  /** The ids of the requests in a file. */
  private static List<?> ids(Path path) throws IOException {
    return ((List<?>) Json.parse(Files.readAllBytes(path)))
        .stream()
            .filter(object -> Json.object(object).containsKey("request_id"))
            .map(object -> Json.member(object, "request_id"))
            .toList();
  }

  private Path numbered(int number) {
    return Path.of(file + "." + number);
  }

  @Test
  void aTraceIsAnObjectForItsModelAndOneForEachTimestamp() throws IOException {
    trace(tracer(-1, 0), "a\"b");

    writer.handleAll();

    assertThat(file)
        .hasContent(
            "[{\"id\":1,\"model_name\":\"m\",\"model_version\":2,\"request_id\":\"a\\\"b\"},"
                + "{\"id\":1,\"timestamps\":[{\"name\":\"REQUEST_START\",\"ns\":1005}]},"
                + "{\"id\":1,\"timestamps\":[{\"name\":\"REQUEST_END\",\"ns\":1007}]}]");
  }

  @Test
  void theFileIsJsonAfterEachTrace() throws IOException {
    Files.writeString(file, "of a former run");
    Tracer tracer = tracer(-1, 0);
    trace(tracer, "a");
    writer.handleAll();
    assertThat(ids(file)).isEqualTo(List.of("a"));

    trace(tracer, "b", "c");
    writer.handleAll();

    assertThat(ids(file)).isEqualTo(List.of("a", "b", "c"));
  }

  @Test
  void filesAreTheirOwnersAloneUnlessTheyWereThere() throws IOException {
    Files.createFile(numbered(1));
    Files.setPosixFilePermissions(numbered(1), PosixFilePermissions.fromString("rw-r-----"));
    Tracer tracer = tracer(-1, 0);
    trace(tracer, "a");
    tracer.change("", settings -> settings.withLogFrequency(1L));
    trace(tracer, "b", "c");
    writer.handleAll();

    assertThat(mode(file)).isEqualTo("rw-------");
    assertThat(mode(numbered(0))).isEqualTo("rw-------");
    assertThat(mode(numbered(1))).isEqualTo("rw-r-----");
    assertThat(ids(numbered(1))).isEqualTo(List.of("c"));
  }

  @Test
  void allFilesTogetherHaveTheBytesThatTheOperatorAllows() throws IOException {
    var files = new TraceDestination.Files(file.toString(), 3 * 4096, 1000, 1000);
    writer = TraceWriter.stopped(files, 1_000);
    try (var log = new LogCapture(TraceWriter.class.getName())) {
      trace(tracer(-1, 1), "a", "b", "c", "d", "e");
      writer.handleAll();

      assertThat(numbered(2)).exists();
      assertThat(numbered(3)).doesNotExist();
      assertThat(writer.dropped().count()).isEqualTo(2);
      assertThat(log.messages())
          .containsExactly(
              "the files of traces have reached 12288 bytes, the limit of"
                  + " --trace-config=triton,max-bytes; traces are dropped until some files are moved"
                  + " or deleted");
    }
  }

  @Test
  void thereAreNoMoreFilesThanTheOperatorAllows() throws IOException {
    var files = new TraceDestination.Files(file.toString(), 1 << 30, 3, 1000);
    writer = TraceWriter.stopped(files, 1_000);
    Tracer tracer = tracer(-1, 1);
    trace(tracer, "a", "b");
    writer.handleAll();
    try (var log = new LogCapture(TraceWriter.class.getName())) {
      trace(tracer, "c", "d", "e");
      writer.handleAll();

      assertThat(numbered(2)).exists();
      assertThat(numbered(3)).doesNotExist();
      assertThat(writer.dropped().count()).isEqualTo(2);
      assertThat(log.messages())
          .containsExactly(
              "there are 3 files of traces, the limit of --trace-config=triton,max-files; traces"
                  + " are dropped until some files are moved or deleted");
    }
  }

  @Test
  void tracesAreWrittenAgainOnceFilesAreMovedOrDeleted() throws IOException {
    var files = new TraceDestination.Files(file.toString(), 3 * 4096, 1000, 1000);
    writer = TraceWriter.stopped(files, 1_000);
    Tracer tracer = tracer(-1, 1);
    trace(tracer, "a", "b", "c", "d");
    writer.handleAll();
    Files.delete(numbered(0));
    Files.move(numbered(1), folder.resolve("moved"));

    trace(tracer, "e", "f", "g");
    writer.handleAll();

    assertThat(ids(numbered(3))).isEqualTo(List.of("e"));
    assertThat(ids(numbered(4))).isEqualTo(List.of("f"));
    assertThat(numbered(5)).doesNotExist();
    assertThat(writer.dropped().count()).isEqualTo(2);
  }

  @Test
  void theFileIsBegunAnewOnceItIsMoved() throws IOException {
    writer =
        TraceWriter.stopped(new TraceDestination.Files(file.toString(), 5_000, 1000, 1000), 1_000);
    Tracer tracer = tracer(-1, 0);
    while (writer.dropped().count() == 0) {
      trace(tracer, "a");
      writer.handleAll();
    }
    Files.move(file, folder.resolve("moved"));

    trace(tracer, "b");
    writer.handleAll();

    assertThat(ids(file)).isEqualTo(List.of("b"));
    assertThat(ids(folder.resolve("moved"))).isNotEmpty().allMatch("a"::equals);
  }

  @Test
  void theFileIsBegunAnewOnceItIsEmptied() throws IOException {
    Tracer tracer = tracer(-1, 0);
    trace(tracer, "a");
    writer.handleAll();
    Files.writeString(file, "");

    trace(tracer, "b");
    writer.handleAll();

    assertThat(ids(file)).isEqualTo(List.of("b"));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aDiskWithoutRoomIsAnErrorOfTheFileOnce() {
    var settings =
        new TraceSettings(
            Set.of(TraceLevel.TIMESTAMPS), 1, -1, 0, new TraceDestination.Files("/dev/full"));
    try (var log = new LogCapture("io.nereid.engine")) {
      TraceWriter onFull = TraceWriter.stopped(new TraceDestination.Files("/dev/full"), 0);
      trace(new Tracer(settings, ClientSettings.ALL, () -> 7, onFull), "a", "b", "c");
      onFull.handleAll();

      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("failed creating trace file: ")
          .containsIgnoringCase("no space left");
      assertThat(onFull.dropped().count()).isEqualTo(3);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aFileThatIsDeletedSinceTheDiskIsFullIsClosedAndBegunAnew() throws IOException {
    Files.createSymbolicLink(file, Path.of("/dev/full"));
    Tracer tracer = tracer(-1, 0);
    try (var _ = new LogCapture("io.nereid.engine")) {
      trace(tracer, "a");
      writer.handleAll();
      Files.delete(file);
      trace(tracer, "b"); // to the deleted file, which is open
      writer.handleAll();
    }
    trace(tracer, "c");
    writer.handleAll();

    assertThat(ids(file)).isEqualTo(List.of("c"));
    assertThat(writer.dropped().count()).isEqualTo(2);
  }

  @Test
  void theFileGrowsToTheBytesThatTheOperatorAllows() throws IOException {
    writer =
        TraceWriter.stopped(new TraceDestination.Files(file.toString(), 10_000, 1000, 1000), 1_000);
    Tracer tracer = tracer(-1, 0);
    for (int i = 0; i < 100; i++) {
      trace(tracer, "r" + i);
      writer.handleAll();
    }

    assertThat(Files.size(file)).isBetween(5_000L, 10_000L);
    assertThat(ids(file)).hasSizeBetween(20, 99).first().isEqualTo("r0");
    assertThat(writer.dropped().count()).isEqualTo(100 - ids(file).size());
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void aLogFrequencyDividesTracesAmongNumberedFiles() throws IOException {
    Tracer tracer = tracer(-1, 2);
    trace(tracer, "a", "b", "c");
    writer.handleAll();

    assertThat(ids(numbered(0))).isEqualTo(List.of("a", "b"));
    assertThat(numbered(1)).doesNotExist();
    tracer.change("", settings -> settings.withRate(3L));
    writer.handleAll();

    assertThat(ids(numbered(1))).isEqualTo(List.of("c"));
    assertThat(file).doesNotExist();
  }

  @Test
  void tracesOfACountGoToANumberedFileOnceAllHaveCome() throws IOException {
    Tracer tracer = tracer(-1, 0);
    trace(tracer, "before");
    tracer.change("", settings -> settings.withCount(2));
    trace(tracer, "a");
    writer.handleAll();
    assertThat(numbered(0)).doesNotExist();

    trace(tracer, "b", "c");
    writer.handleAll();

    assertThat(ids(file)).isEqualTo(List.of("before"));
    assertThat(ids(numbered(0))).isEqualTo(List.of("a", "b"));
  }

  @Test
  void tracesOfACountThatIsNotUsedUpGoToTheFileWhenTheServerStops() throws IOException {
    TraceWriter started = TraceWriter.start(new TraceDestination.Files(file.toString()), 0);
    var settings =
        new TraceSettings(
            Set.of(TraceLevel.TIMESTAMPS), 1, 6, 0, new TraceDestination.Files(file.toString()));
    trace(new Tracer(settings, ClientSettings.ALL, () -> 7, started), "a", "b");

    started.close();

    assertThat(ids(file)).isEqualTo(List.of("a", "b"));
  }

  @Test
  void whatComesAfterSettingsWereReplacedIsWrittenAtOnce() throws IOException {
    Tracer tracer = tracer(5, 0);
    try (RequestTrace trace =
        Objects.requireNonNull(tracer.sample("m", "", (_, _) -> Optional.empty()))) {
      trace.begin(new ModelKey("m", 2), "late", 5);
      tracer.change("", settings -> settings.withLevels(Set.of()));
      writer.handleAll();
      trace.end();
    }
    writer.handleAll();

    assertThat(ids(file)).isEqualTo(List.of("late"));
  }

  @Test
  void whatFindsTooManyWaitingIsDroppedAndCountedAndLoggedOnce() throws IOException {
    try (var log = new LogCapture(TraceWriter.class.getName())) {
      Tracer tracer = tracer(-1, 0);
      String[] requests = new String[TraceWriter.CAPACITY + 3];
      Arrays.setAll(requests, i -> "r" + i);
      trace(tracer, requests);
      assertThat(writer.dropped().count()).isEqualTo(3);
      assertThat(log.messages()).hasSize(1);

      writer.handleAll();
      trace(tracer, "next");
      writer.handleAll();

      assertThat(ids(file)).hasSize(TraceWriter.CAPACITY + 1).last().isEqualTo("next");
    }
  }

  @Test
  void aFileThatCannotBeWrittenIsLoggedOnce() {
    TraceWriter nowhere =
        TraceWriter.stopped(new TraceDestination.Files(folder.resolve("no/such").toString()), 0);
    var settings =
        new TraceSettings(
            Set.of(TraceLevel.TIMESTAMPS), 1, -1, 0, new TraceDestination.Files("no/such"));
    try (var log = new LogCapture(TraceWriter.class.getName())) {
      trace(new Tracer(settings, ClientSettings.ALL, () -> 7, nowhere), "a", "b");
      nowhere.handleAll();

      assertThat(log.messages()).hasSize(1);
      assertThat(log.messages().getFirst()).startsWith("failed creating trace file: ");
    }
  }

  @Test
  void goesOnBehindAnError() throws IOException {
    try (TraceWriter running = TraceWriter.start(new TraceDestination.Files(file.toString()), 0)) {
      TraceSink breakingFirst =
          new TraceSink() {
            private boolean isBroken;

            @Override
            public void collected(TraceSampler sampler, List<RequestTrace> traces) {
              running.collected(sampler, isBroken ? traces : broken(traces));
              isBroken = true;
            }

            @Override
            public void replaced(TraceSampler sampler) {}

            @Override
            public Dropped dropped() {
              return running.dropped();
            }

            @Override
            public void close() {}
          };
      var settings =
          new TraceSettings(
              Set.of(TraceLevel.TIMESTAMPS), 1, -1, 0, new TraceDestination.Files(file.toString()));
      trace(new Tracer(settings, ClientSettings.ALL, () -> 7, breakingFirst), "lost", "a");
    }

    assertThat(ids(file)).isEqualTo(List.of("a"));
  }

  /** The same traces, which another thread than this one cannot read. */
  private static List<RequestTrace> broken(List<RequestTrace> traces) {
    Thread caller = Thread.currentThread();
    return new AbstractList<>() {
      @Override
      public RequestTrace get(int index) {
        if (!Thread.currentThread().equals(caller)) {
          throw new OutOfMemoryError("of a test");
        }
        return traces.get(index);
      }

      @Override
      public int size() {
        return traces.size();
      }
    };
  }
}
