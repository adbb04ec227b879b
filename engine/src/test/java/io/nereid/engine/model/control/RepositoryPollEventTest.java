package io.nereid.engine.model.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.repository.RepositoryChange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The event of a poll for Java Flight Recorder. */
@Timeout(120)
class RepositoryPollEventTest {
  @Test
  void aPollTellsHowManyModelsItFoundAndHowManyAreToChange(@TempDir Path directory)
      throws IOException {
    RepositoryChange change = RepositoryChange.copies().findFirst().orElseThrow();
    try (var server = new MemoryServer(change.start());
        var recording = new Recording()) {
      recording.start();
      server.poll();
      change.edits().forEach(server::apply);
      server.poll(); // the files may still be copied
      server.poll();
      server.poll();
      recording.stop();

      assertThat(polls(recording, directory.resolve("flight.jfr")))
          .containsExactly(
              "1 found, 0 to change",
              "1 found, 0 to change",
              "1 found, 1 to change",
              "1 found, 0 to change");
    }
  }

  private static List<String> polls(Recording recording, Path file) throws IOException {
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("nereid.RepositoryPoll"))
        .sorted(Comparator.comparing(RecordedEvent::getEndTime))
        .map(event ->
            "%d found, %d to change".formatted(event.getInt("models"), event.getInt("changed")))
        .toList();
  }
}
