package io.nereid.engine.model.repository;

import io.nereid.engine.file.FileTree;
import io.nereid.engine.file.HeldDirectory;
import io.nereid.engine.file.OwnerOnly;
import io.nereid.error.IoReason;
import io.nereid.spi.UserCache;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The directories of models that are loaded from the files of load requests: in one of this
 * process's, beside those of other servers of its user. Thread-safe.
 */
public final class OverrideDirectories implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(OverrideDirectories.class.getName());

  private final Path temporary;

  /** This process's; null until a model needs it. */
  private @Nullable HeldDirectory own;

  /**
   * @param temporary the directory of temporary files
   */
  public OverrideDirectories(Path temporary) {
    this.temporary = temporary;
  }

  private Path servers() {
    return temporary.resolve("nereid-models-" + UserCache.user());
  }

  /** Deletes the files of servers that have ended without doing so. What cannot be is logged. */
  public void deleteLeft() {
    try {
      if (Files.exists(servers())) {
        OwnerOnly.requireDirectory(servers());
        HeldDirectory.adoptLeft(servers(), FileTree::delete);
      }
    } catch (IOException failed) {
      LOG.log(Level.WARNING, "cannot delete all of ''{0}'': {1}", servers(), IoReason.of(failed));
    }
  }

  /**
   * Writes the files of a load request; see {@link OverrideDirectory#create}.
   *
   * @throws io.nereid.error.InferenceException if a path is not allowed, or the files cannot be
   *     written
   */
  public OverrideDirectory create(String model, Map<String, ByteBuffer> files) {
    Path directory;
    try {
      directory = own();
    } catch (IOException failed) {
      throw OverrideDirectory.unwritable(model, temporary, failed);
    }
    return OverrideDirectory.create(directory, model, files);
  }

  private synchronized Path own() throws IOException {
    if (own == null) {
      OwnerOnly.requireDirectory(servers());
      own = HeldDirectory.create(servers());
    }
    OwnerOnly.createDirectories(own.path()); // one that was empty for long may have been removed
    return own.path();
  }

  /** Deletes all of them. What cannot be deleted is logged. */
  @Override
  public synchronized void close() {
    HeldDirectory held = own;
    if (held == null) {
      return;
    }
    try (held) {
      FileTree.delete(held.path());
    } catch (IOException failed) {
      LOG.log(Level.WARNING, "cannot delete ''{0}'': {1}", held.path(), IoReason.of(failed));
    }
  }
}
