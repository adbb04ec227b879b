package io.nereid.engine.scheduling.journal.replay;

import io.nereid.engine.model.config.conversion.SchedulingRecords;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The file of a journal, and the output of its replay. */
public abstract class ReplayedJournal {
  public final StringWriter out = new StringWriter();
  public Path file;

  @BeforeEach
  void name(@TempDir Path directory) {
    file = directory.resolve("journal");
  }

  public boolean replay() throws IOException {
    return replay(Optional.empty(), false);
  }

  public boolean replay(Optional<String> model, boolean quiet) throws IOException {
    out.getBuffer().setLength(0);
    return new Replay(new PrintWriter(out), SchedulingRecords::record, model, quiet).run(file);
  }
}
