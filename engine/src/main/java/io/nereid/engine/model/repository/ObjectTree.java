package io.nereid.engine.model.repository;

import io.nereid.engine.model.repository.DirectoryContents.FileState;
import io.nereid.error.InferenceException;
import io.nereid.spi.repository.StoredObject;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The objects of a repository as directories of models: the key {@code m/1/model.onnx} is a file of
 * the model {@code m}, and {@code m/1/}, which users create with an empty folder, a directory.
 * Pure.
 */
final class ObjectTree {
  private ObjectTree() {}

  /**
   * Objects by the first name in their keys. What lies beside models, or is hidden, is left out.
   */
  static SortedMap<String, List<StoredObject>> byModel(List<StoredObject> objects) {
    return objects.stream()
        .filter(object -> object.key().indexOf('/') > 0 && object.key().charAt(0) != '.')
        .collect(
            Collectors.groupingBy(
                object -> object.key().substring(0, object.key().indexOf('/')),
                TreeMap::new,
                Collectors.toList()));
  }

  /**
   * The contents of a model's directory.
   *
   * @param objects those whose keys begin with the model's name and a slash
   * @throws InferenceException INVALID_ARGUMENT if a key cannot be a path, or is one of a file and
   *     of a directory
   */
  static DirectoryContents contents(String model, List<StoredObject> objects) {
    SortedMap<String, FileState> files = new TreeMap<>();
    for (StoredObject object : objects) {
      String path = object.key().substring(model.length() + 1);
      if (path.endsWith("/")) {
        requirePath(model, path.substring(0, path.length() - 1));
        files.put(path, new FileState(0, ""));
      } else if (!path.isEmpty()) {
        requirePath(model, path);
        files.put(path, new FileState(object.byteSize(), object.tag()));
      }
    }
    for (String path : List.copyOf(files.keySet())) {
      boolean marker = path.endsWith("/");
      if (hasFilesIn(marker ? path : path + "/", files)) {
        if (!marker) {
          throw notPath(model, path, "is a file and a directory");
        }
        files.remove(path);
      }
    }
    return new DirectoryContents(files);
  }

  private static boolean hasFilesIn(String directory, SortedMap<String, FileState> files) {
    SortedMap<String, FileState> after = files.tailMap(directory + '\0');
    return !after.isEmpty() && after.firstKey().startsWith(directory);
  }

  private static void requirePath(String model, String path) {
    for (String name : Arrays.asList(path.split("/", -1))) {
      if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf(0) >= 0) {
        throw notPath(model, path, "is not the path of a file");
      }
    }
  }

  private static InferenceException notPath(String model, String path, String problem) {
    return InferenceException.invalid(
        "model '%s': the object key '%s/%s' %s".formatted(model, model, path, problem));
  }

  /** The objects that a directory's files are of, by path; without empty directories. */
  static SortedMap<String, StoredObject> objects(String model, DirectoryContents contents) {
    SortedMap<String, StoredObject> objects = new TreeMap<>();
    for (Map.Entry<String, FileState> file : contents.files().entrySet()) {
      String path = file.getKey();
      FileState state = file.getValue();
      if (!path.endsWith("/")) {
        objects.put(path, new StoredObject(model + "/" + path, state.byteSize(), state.tag()));
      }
    }
    return objects;
  }

  /** The paths of empty directories. */
  static List<String> directories(DirectoryContents contents) {
    return contents.files().keySet().stream().filter(path -> path.endsWith("/")).toList();
  }
}
