package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A repository that counts the uses of its directories: each has to be released once. */
public final class CountedRepository implements ModelRepository {
  private final ModelRepository repository;
  private final Map<Path, Integer> uses = new HashMap<>();

  public CountedRepository(ModelRepository repository) {
    this.repository = repository;
  }

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
    return repository.contents(model);
  }

  @Override
  public RepositoryContents contents() {
    return repository.contents();
  }

  @Override
  public boolean isBare() {
    return repository.isBare();
  }

  @Override
  public boolean isCopy(Path directory) {
    return repository.isCopy(directory);
  }

  @Override
  public synchronized Path directory(String model, DirectoryContents contents) {
    Path directory = repository.directory(model, contents);
    uses.merge(directory, 1, Integer::sum);
    return directory;
  }

  @Override
  public synchronized void release(Path directory) {
    uses.computeIfPresent(directory, (_, count) -> count - 1);
    assertThat(uses.getOrDefault(directory, 0)).as("uses of %s", directory).isNotNegative();
    repository.release(directory);
  }

  /** Fails if a directory is in use. */
  public synchronized void assertAllReleased() {
    assertThat(uses).allSatisfy((path, count) -> assertThat(count).as("uses of %s", path).isZero());
  }
}
