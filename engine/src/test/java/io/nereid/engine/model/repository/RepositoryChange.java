package io.nereid.engine.model.repository;

import static io.nereid.engine.model.repository.Edit.append;
import static io.nereid.engine.model.repository.Edit.delete;
import static io.nereid.engine.model.repository.Edit.directory;
import static io.nereid.engine.model.repository.Edit.link;
import static io.nereid.engine.model.repository.Edit.rename;
import static io.nereid.engine.model.repository.Edit.time;
import static io.nereid.engine.model.repository.Edit.write;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A change of a repository from one complete state to another, by several edits. The model {@code
 * m} is of release {@code r1} in the first state and {@code r2} in the second, if it is there; each
 * of its files names its release.
 *
 * @param start creates the first state
 * @param edits lead to the second state, in this order or another one that makes sense
 */
public record RepositoryChange(String name, List<Edit> start, List<Edit> edits) {

  private static final String ENSEMBLE =
      """
      platform: "ensemble"
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      ensemble_scheduling {
        step { model_name: "m" model_version: -1
          input_map { key: "IN0" value: "IN0" } output_map { key: "OUT0" value: "OUT0" } }
      }
      """;

  public RepositoryChange {
    start = List.copyOf(start);
    edits = List.copyOf(edits);
  }

  /** Changes made by copying and deleting, file by file. */
  public static Stream<RepositoryChange> copies() {
    return Stream.of(
        new RepositoryChange(
            "a new version is copied",
            model("m", "r1", 1),
            concat(version("m/2", "r2"), config("m", "r2"), others("m", "r2"))),
        new RepositoryChange(
            "a new version is copied and the old one is removed",
            model("m", "r1", 1),
            concat(version("m/2", "r2"), config("m", "r2"), deletion("m/1/model.txt", "m/1"))),
        inPlace("r1", "r2"),
        new RepositoryChange(
            "a version is replaced in place by older files",
            concat(
                List.of(directory(".late"), delete(".late")), // so that the clock has advanced
                model("m", "r1", 1)),
            concat(
                version("m/1", "r2").subList(1, 3),
                List.of(time("m/1/model.txt", 1)),
                config("m", "r2"),
                List.of(time("m/config.pbtxt", 1)))),
        new RepositoryChange(
            "a new model is copied",
            List.of(),
            concat(
                List.of(directory("m")),
                config("m", "r2"),
                version("m/1", "r2"),
                others("m", "r2").subList(0, 1))),
        new RepositoryChange(
            "a model is deleted",
            model("m", "r1", 1),
            deletion(
                "m/1/model.txt",
                "m/1",
                "m/warmup/sample",
                "m/warmup",
                "m/labels.txt",
                "m/config.pbtxt",
                "m")),
        new RepositoryChange(
            "a model is deleted and another one renamed",
            concat(plain("m", "r1"), plain(".new", "r2")),
            concat(
                deletion("m/1/model.txt", "m/1", "m/config.pbtxt", "m"),
                List.of(rename(".new", "m")))));
  }

  /** Overwrites the files of one release by those of another. */
  public static RepositoryChange inPlace(String from, String to) {
    return new RepositoryChange(
        "a version is replaced in place",
        model("m", from, 1),
        concat(version("m/1", to).subList(1, 3), config("m", to), others("m", to)));
  }

  /** Changes that become visible by one renaming. */
  public static Stream<RepositoryChange> renamings() {
    return Stream.of(
        new RepositoryChange(
            "a new version is copied to a hidden directory and renamed",
            plain("m", "r1"),
            concat(version("m/.2", "r2"), List.of(rename("m/.2", "m/2")))),
        new RepositoryChange(
            "a new model is copied to a hidden directory and renamed",
            List.of(),
            concat(plain(".m", "r2"), List.of(rename(".m", "m")))),
        new RepositoryChange(
            "a model is removed by renaming", plain("m", "r1"), List.of(rename("m", ".m"))),
        new RepositoryChange(
            "a link to a model is replaced",
            concat(plain(".r1", "r1"), plain(".r2", "r2"), List.of(link("m", ".r1"))),
            List.of(link(".m", ".r2"), rename(".m", "m"))));
  }

  /** The same change in a repository with an ensemble {@code e} of the model. */
  public RepositoryChange withEnsemble() {
    List<Edit> ensemble =
        List.of(directory("e"), directory("e/1"), write("e/config.pbtxt", ENSEMBLE));
    return new RepositoryChange(name, concat(start, ensemble), edits);
  }

  private static List<Edit> model(String model, String release, int version) {
    return concat(
        List.of(directory(model), directory(model + "/warmup")),
        config(model, release),
        others(model, release),
        version(model + "/" + version, release));
  }

  /** A model of version 1 without other files. */
  private static List<Edit> plain(String model, String release) {
    return concat(
        List.of(directory(model)), config(model, release), version(model + "/1", release));
  }

  /** A model file in two halves. */
  private static List<Edit> version(String path, String release) {
    String file = path + "/model.txt";
    return List.of(
        directory(path), write(file, release + " begin "), append(file, release + " end"));
  }

  /** A file that is empty at first. */
  private static List<Edit> config(String model, String release) {
    String file = model + "/config.pbtxt";
    return List.of(write(file, ""), append(file, config(release)));
  }

  private static List<Edit> others(String model, String release) {
    return List.of(write(model + "/labels.txt", release), write(model + "/warmup/sample", release));
  }

  private static List<Edit> deletion(String... paths) {
    return Stream.of(paths).map(Edit::delete).toList();
  }

  @SafeVarargs
  private static List<Edit> concat(List<Edit>... lists) {
    List<Edit> all = new ArrayList<>();
    for (List<Edit> list : lists) {
      all.addAll(list);
    }
    return all;
  }

  private static String config(String release) {
    return """
      backend: "files"
    input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
    output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
    instance_group { count: 1 kind: KIND_CPU }
    parameters { key: "release" value { string_value: "%s" } }
    """
        .formatted(release);
  }

  /**
   * Calls {@code action} with the edits in each order that keeps those of nested paths in theirs.
   */
  public void forEachOrder(Consumer<List<Edit>> action) {
    forSomeOrders(1, action);
  }

  /**
   * As {@link #forEachOrder}, for one of so many orders.
   *
   * @param every 1 for all
   */
  public void forSomeOrders(int every, Consumer<List<Edit>> action) {
    var number = new AtomicInteger();
    permute(order -> {
      if (number.getAndIncrement() % every == 0) {
        action.accept(order);
      }
    });
  }

  private void permute(Consumer<List<Edit>> action) {
    permute(new ArrayList<>(), new ArrayList<>(edits), action);
  }

  private static void permute(List<Edit> done, List<Edit> left, Consumer<List<Edit>> action) {
    if (left.isEmpty()) {
      action.accept(List.copyOf(done));
    }
    for (int next = 0; next < left.size(); next++) {
      Edit edit = left.get(next);
      if (left.subList(0, next).stream().noneMatch(edit::dependsOn)) {
        List<Edit> others = new ArrayList<>(left);
        others.remove(next);
        done.addLast(edit);
        permute(done, others, action);
        done.removeLast();
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
