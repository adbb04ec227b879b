package io.nereid.server.client;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Returns {@code IN} as {@code OUT}, once it has appended the number that is the request's id to
 * the file of the model's parameter {@code file}: what was executed is known after the process was
 * killed, too. Every thousandth execution takes long.
 */
public final class RecordingBackend implements BackendProvider {
  private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(150);
  private static final int LONG_EVERY = 1000;

  /** The ids of all executions, in their order. */
  static long[] executions(Path file) throws IOException {
    long[] ids = new long[(int) (Files.size(file) / Long.BYTES)];
    ByteBuffer.wrap(Files.readAllBytes(file)).asLongBuffer().get(ids);
    return ids;
  }

  @Override
  public String name() {
    return "recording";
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened();
  }

  private record Opened() implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      try {
        Path file = Path.of(config.parameters().get("file"));
        return new Recording(
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {}
  }

  private record Recording(FileChannel file) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new Instance(file);
    }

    @Override
    public void close() {
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private record Instance(FileChannel file) implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      ByteBuffer ids = ByteBuffer.allocate(batch.size() * Long.BYTES);
      boolean isLong = false;
      for (int i = 0; i < batch.size(); i++) {
        long id = Long.parseLong(batch.request(i).id());
        isLong |= id % LONG_EVERY == 0;
        ids.putLong(id);
      }
      try {
        file.write(ids.flip());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      if (isLong) {
        LockSupport.parkNanos(LONG_NANOS);
      }
      Tensor all = batch.gathered("IN").orElseThrow();
      results.allocateBatch("OUT", all.dataType(), all.shape()).copyFrom(all.data());
    }

    @Override
    public void close() {}
  }
}
