package io.nereid.engine.model.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.repository.DirectoryContents;
import io.nereid.engine.model.repository.Edit;
import io.nereid.engine.model.repository.ModelRepository;
import io.nereid.engine.model.repository.RepositoryChange;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Poll mode on a repository that changes edit by edit, with polls and requests at every point
 * between two edits. A request must be answered by a model that was loaded from the complete files
 * of one of the states that the repository is to have.
 */
@Timeout(600)
class PollSimulationTest {
  /** Of so many orders of edits one is tried. */
  private static final int EVERY = Integer.getInteger("nereid.orders.every", 5);

  static Stream<RepositoryChange> copies() {
    return RepositoryChange.copies();
  }

  static Stream<RepositoryChange> renamings() {
    return RepositoryChange.renamings();
  }

  @ParameterizedTest
  @MethodSource("copies")
  void aModelIsServedAsItWasUntilItsCopyIsComplete(RepositoryChange change) {
    change.forSomeOrders(EVERY, order -> serve(change, order, 1));
  }

  @ParameterizedTest
  @MethodSource("renamings")
  void aModelThatIsRenamedIntoPlaceIsServedAsAWholeHoweverManyPollsThereAre(
      RepositoryChange change) {
    change.forSomeOrders(EVERY, order -> serve(change, order, 3));
  }

  /** Polls as often before the first edit and after each. */
  private static void serve(RepositoryChange change, List<Edit> order, int polls) {
    List<Edit> all = new ArrayList<>(change.start());
    all.addAll(order);
    Optional<String> first = MemoryServer.complete(change.start());
    Optional<String> last = MemoryServer.complete(all);
    try (var server = new MemoryServer(change.start());
        var watch = FilesBackend.watch(server.directory())) {
      var served = new Served(order, List.of(first, last));
      served.check(server.answer());
      poll(server, served, polls);
      for (Edit edit : order) {
        server.apply(edit);
        served.check(server.answer());
        poll(server, served, polls);
      }
      poll(server, served, 2);

      assertThat(served.now).as("%s", order).isEqualTo(last);
      assertThat(watch.loads())
          .as("loads after the start: %s", order)
          .isEqualTo(last.isPresent() ? 1 : 0);
    }
  }

  @ParameterizedTest
  @MethodSource("copiesAndRenamings")
  void anEnsembleServesWithItsModel(RepositoryChange plain) {
    RepositoryChange change = plain.withEnsemble();
    List<Edit> all = new ArrayList<>(change.start());
    all.addAll(change.edits());
    List<Optional<String>> states =
        List.of(MemoryServer.complete(change.start()), MemoryServer.complete(all));
    try (var server = new MemoryServer(change.start())) {
      var served = new Served(change, states);
      served.check(server.answer("e"));
      for (Edit edit : change.edits()) {
        server.apply(edit);
        server.poll();
        served.check(server.answer("e"));
        assertThat(served.now).isEqualTo(server.answer());
      }
      server.poll();
      server.poll();

      assertThat(server.answer("e")).isEqualTo(states.getLast());
    }
  }

  static Stream<RepositoryChange> copiesAndRenamings() {
    return Stream.concat(copies(), renamings());
  }

  private static void poll(MemoryServer server, Served served, int times) {
    for (int poll = 0; poll < times; poll++) {
      server.poll();
      served.check(server.answer());
    }
  }

  /** The answers of a model, which pass through complete states in their order. */
  private static final class Served {
    private final Object context;
    private final List<Optional<String>> states;
    private int state;
    private Optional<String> now = Optional.empty();

    /**
     * @param states what the model may answer, in this order; some may be left out
     */
    Served(Object context, List<Optional<String>> states) {
      this.context = context;
      this.states = states;
    }

    void check(Optional<String> answer) {
      now = answer;
      int found = states.subList(state, states.size()).indexOf(answer);
      assertThat(found)
          .as("%s, which follows state %d; %s", answer, state, context)
          .isNotNegative();
      state += found;
    }
  }

  /** Two releases after the first, each of which overwrites the files of the one before. */
  private static final RepositoryChange SECOND = RepositoryChange.inPlace("r1", "r2");

  private static final RepositoryChange THIRD = RepositoryChange.inPlace("r2", "r3");

  private static Served threeReleases(Object context) {
    List<Edit> edits = new ArrayList<>(SECOND.start());
    List<Optional<String>> states = new ArrayList<>(List.of(MemoryServer.complete(edits)));
    edits.addAll(SECOND.edits());
    states.add(MemoryServer.complete(edits));
    edits.addAll(THIRD.edits());
    states.add(MemoryServer.complete(edits));
    return new Served(context, states);
  }

  @Test
  void aModelWhoseFilesAreOverwrittenWhileItLoadsIsNotServed() {
    for (int read = 0; read < 4; read++) {
      for (int count = 1; count <= THIRD.edits().size(); count++) {
        overwriteWhileLoading(read, count);
      }
    }
  }

  /**
   * @param read the number of files of the second release that are read before others are written
   * @param count the edits that are made then
   */
  private static void overwriteWhileLoading(int read, int count) {
    Served served = threeReleases("%d edits after %d files were read".formatted(count, read));
    Queue<Edit> left = new ArrayDeque<>(THIRD.edits());
    try (var server = new MemoryServer(SECOND.start());
        var watch = FilesBackend.watch(server.directory())) {
      SECOND.edits().forEach(server::apply);
      poll(server, served, 1);
      int[] files = {0};
      watch.whileReading(() -> {
        served.check(server.answer());
        if (files[0]++ == read) {
          apply(server, left, count);
        }
      });

      poll(server, served, 1);
      watch.whileReading(() -> {});

      assertThat(left).as("edits that are left").hasSize(THIRD.edits().size() - count);
      finish(server, served, left);
    }
  }

  @Test
  void aModelWhoseFilesAreOverwrittenBetweenAPollAndItsLoadIsNotServed() {
    for (int looks = 1; looks <= 3; looks++) {
      for (int count = 1; count <= THIRD.edits().size(); count++) {
        overwriteAfterLooking(looks, count);
      }
    }
  }

  /**
   * @param looks how often the directory is read before others are written
   * @param count the edits that are made then
   */
  private static void overwriteAfterLooking(int looks, int count) {
    Served served = threeReleases("%d edits after %d looks".formatted(count, looks));
    Queue<Edit> left = new ArrayDeque<>(THIRD.edits());
    var looking = new Runnable[] {() -> {}};
    try (var server =
        new MemoryServer(
            ControlMode.POLL,
            SECOND.start(),
            repository -> new WatchedRepository(repository, () -> looking[0].run()))) {
      SECOND.edits().forEach(server::apply);
      poll(server, served, 1);
      int[] looked = {0};
      looking[0] =
          () -> {
            if (++looked[0] == looks) {
              apply(server, left, count);
            }
          };

      poll(server, served, 1);
      looking[0] = () -> {};

      finish(server, served, left);
    }
  }

  private static void apply(MemoryServer server, Queue<Edit> edits, int count) {
    for (int i = 0; i < count; i++) {
      server.apply(edits.remove());
    }
  }

  /** Makes the edits that are left, with a poll after each, and waits for the last release. */
  private static void finish(MemoryServer server, Served served, Queue<Edit> left) {
    while (!left.isEmpty()) {
      poll(server, served, 1);
      server.apply(left.remove());
    }
    poll(server, served, 2);
    assertThat(served.now).as("%s", served.context).isEqualTo(served.states.getLast());
  }

  @Test
  void aModelThatCannotBeReadIsServedAsItWas() {
    Optional<String> complete = MemoryServer.complete(SECOND.start());
    try (var server = new MemoryServer(SECOND.start())) {
      server.apply(Edit.rename("m", ".m"));
      server.apply(Edit.link("m", "m"));

      for (int poll = 0; poll < 4; poll++) {
        server.poll();
        assertThat(server.answer()).isEqualTo(complete);
      }
    }
  }

  /** A repository with an action after each look at a model. */
  private record WatchedRepository(ModelRepository repository, Runnable looked)
      implements ModelRepository {
    @Override
    public String location() {
      return repository.location();
    }

    @Override
    public List<String> models() {
      return repository.models();
    }

    @Override
    public Optional<DirectoryContents> contents(String model) {
      Optional<DirectoryContents> contents = repository.contents(model);
      looked.run();
      return contents;
    }

    @Override
    public Path directory(String model, DirectoryContents contents) {
      return repository.directory(model, contents);
    }
  }

  /** What is documented as not safe: such a copy looks finished. */
  @ParameterizedTest
  @MethodSource("copiesOverAModel")
  void aCopyThatPausesNeitherInterruptsServiceNorServesAFileThatIsCutOff(RepositoryChange change) {
    for (int pause = 0; pause < change.edits().size(); pause++) {
      List<Edit> all = new ArrayList<>(change.start());
      all.addAll(change.edits());
      try (var server = new MemoryServer(change.start())) {
        for (int edit = 0; edit < change.edits().size(); edit++) {
          server.apply(change.edits().get(edit));
          for (int poll = 0; poll < (edit == pause ? 3 : 1); poll++) {
            server.poll();
            assertThat(server.answer().orElseThrow())
                .containsPattern("model.txt=(r.) begin \\1 end");
          }
        }
        server.poll();
        server.poll();
        assertThat(server.answer()).as("%d", pause).isEqualTo(MemoryServer.complete(all));
      }
    }
  }

  static Stream<RepositoryChange> copiesOverAModel() {
    return RepositoryChange.copies().limit(4);
  }
}
