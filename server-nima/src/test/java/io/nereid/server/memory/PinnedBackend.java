package io.nereid.server.memory;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Returns {@code IN} as {@code OUT}, and records for each batch whether its input lies in memory of
 * the model's own allocator. It reports that memory as page-locked, and 4,096 bytes on GPU 1.
 */
public final class PinnedBackend implements BackendProvider {
  /** By the model's name: where the input of each batch lay, whole; true for the model's memory. */
  static final Map<String, BlockingQueue<Boolean>> INPUTS = new ConcurrentHashMap<>();

  static BlockingQueue<Boolean> inputs(String model) {
    return INPUTS.computeIfAbsent(model, _ -> new LinkedBlockingQueue<>());
  }

  @Override
  public String name() {
    return "pinned";
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened();
  }

  private record Opened() implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      return new Loaded(inputs(config.name()), new Memory(new CopyOnWriteArrayList<>()));
    }

    @Override
    public void close() {}
  }

  private record Memory(List<MemorySegment> allocated) implements HostAllocator {
    @Override
    public MemorySegment allocate(long byteSize) {
      MemorySegment segment = Arena.ofShared().allocate(byteSize, 64);
      allocated.add(segment);
      return segment;
    }

    @Override
    public void free(MemorySegment segment) {
      allocated.removeIf(each -> each.address() == segment.address());
    }

    boolean contains(MemorySegment segment) {
      return allocated.stream()
          .anyMatch(each ->
              segment.address() >= each.address()
                  && segment.address() + segment.byteSize() <= each.address() + each.byteSize());
    }

    long byteSize() {
      return allocated.stream().mapToLong(MemorySegment::byteSize).sum();
    }
  }

  private record Loaded(BlockingQueue<Boolean> inputs, Memory memory) implements Model {
    @Override
    public Optional<HostAllocator> inputAllocator() {
      return Optional.of(memory);
    }

    @Override
    public List<MemoryUsage> memoryUsage() {
      return List.of(
          MemoryUsage.ofGpu(1, 4_096), new MemoryUsage("CPU_PINNED", 0, memory.byteSize()));
    }

    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new Instance(inputs, memory);
    }

    @Override
    public void close() {}
  }

  private record Instance(BlockingQueue<Boolean> inputs, Memory memory) implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      Tensor all = batch.gathered("IN").orElseThrow();
      inputs.add(memory.contains(all.data()));
      if (results.wants("OUT")) {
        results.allocateBatch("OUT", all.dataType(), all.shape()).copyFrom(all.data());
      }
    }

    @Override
    public void close() {}
  }
}
