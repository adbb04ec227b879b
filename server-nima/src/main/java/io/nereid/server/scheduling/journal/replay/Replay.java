package io.nereid.server.scheduling.journal.replay;

import io.nereid.server.scheduling.journal.DamagedJournalException;
import io.nereid.server.scheduling.journal.JournalReader;
import io.nereid.server.scheduling.journal.JournalRecord;
import io.nereid.server.scheduling.journal.JournalRecord.Closed;
import io.nereid.server.scheduling.journal.JournalRecord.Decision;
import io.nereid.server.scheduling.journal.JournalRecord.Incomplete;
import io.nereid.server.scheduling.journal.JournalRecord.SchedulerStarted;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes the decisions of a journal again, tells them in plain words, and says whether they come out
 * the same.
 */
public final class Replay {
  /** A scheduler of the journal. */
  private static final class Player {
    final SchedulerStarted started;
    final SchedulerReplay replay;
    final Narrator narrator = new Narrator();
    final ReplaySummary summary = new ReplaySummary();
    String verdict = "agrees";
    boolean differs;
    boolean over;

    Player(SchedulerStarted started) {
      this.started = started;
      this.replay = new SchedulerReplay(started);
    }

    String name() {
      return "%s version %d".formatted(started.model().name(), started.model().version());
    }
  }

  private final PrintWriter out;
  private final Optional<String> model;
  private final boolean quiet;
  private final Map<Integer, Player> players = new TreeMap<>();
  private boolean closed;

  /**
   * @param model whose schedulers to replay; empty: all
   * @param quiet print differences and the summary only
   */
  public Replay(PrintWriter out, Optional<String> model, boolean quiet) {
    this.out = out;
    this.model = model;
    this.quiet = quiet;
  }

  /**
   * Replays a file. Once.
   *
   * @return whether every decision came out as it was recorded
   * @throws IOException if the file cannot be read; what came before has been replayed
   */
  public boolean run(Path file) throws IOException {
    try (var reader = JournalReader.open(file)) {
      try {
        for (JournalRecord record = reader.next(); record != null; record = reader.next()) {
          play(record);
        }
      } finally {
        summarise();
        out.flush();
      }
      if (!closed) {
        out.println(
            "The journal was not closed: the server was killed, or is still running"
                + (reader.isCutOff() ? "; its last record is cut off." : "."));
      }
    }
    if (players.isEmpty() && model.isPresent()) {
      throw new DamagedJournalException("there is no scheduler of model '%s' in it", model.get());
    }
    out.flush();
    return players.values().stream().noneMatch(player -> player.differs);
  }

  private void play(JournalRecord record) throws DamagedJournalException {
    switch (record) {
      case SchedulerStarted started -> {
        if (model.isEmpty() || model.get().equals(started.model().name())) {
          players.put(started.scheduler(), new Player(started));
        }
      }
      case Decision decision -> {
        Player player = player(decision.scheduler());
        if (player != null && !player.over) {
          play(decision, player);
        }
      }
      case Incomplete(int scheduler, long lost) -> {
        Player player = player(scheduler);
        if (player != null) {
          player.over = true;
          player.verdict =
              "%s up to where the journal is incomplete: %s missing"
                  .formatted(
                      player.differs ? "differs" : "agrees", Words.counted(lost, "decision"));
        }
      }
      case Closed() -> closed = true;
    }
  }

  private @Nullable Player player(int scheduler) throws DamagedJournalException {
    Player player = players.get(scheduler);
    if (player == null && model.isEmpty()) {
      throw new DamagedJournalException("a decision of scheduler %d, which is unknown", scheduler);
    }
    return player;
  }

  private void play(Decision decision, Player player) {
    player.summary.add(decision);
    var told = player.narrator.tell(decision);
    String title =
        "%s  #%d %s"
            .formatted(
                Words.seconds(player.narrator.now()), player.summary.decisions(), player.name());
    if (!quiet && !told.isEmpty()) {
      out.println(title + ": " + told.getFirst());
      told.stream().skip(1).forEach(out::println);
    }
    Difference difference = Difference.between(decision, player.replay.again(decision));
    if (difference != null) {
      player.differs = true;
      player.over = true; // what the policy remembers is another thing from here on
      player.verdict = "DIFFERS at decision #" + player.summary.decisions();
      out.println(title + ": DIFFERS");
      out.println("    recorded: " + difference.recorded());
      out.println("    replayed: " + difference.replayed());
    }
  }

  private void summarise() {
    for (Player player : players.values()) {
      out.println();
      out.println(
          "%s (%s, %s): %s"
              .formatted(
                  player.name(),
                  Words.settings(player.started.settings(), player.started.maxBatchSize()),
                  Words.counted(player.started.instances(), "instance"),
                  player.verdict));
      player.summary.lines().forEach(line -> out.println("  " + line));
    }
  }
}
