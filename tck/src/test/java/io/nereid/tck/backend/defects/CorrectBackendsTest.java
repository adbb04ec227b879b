package io.nereid.tck.backend.defects;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.request.SequenceId;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.Batch;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.Results;
import io.nereid.tck.support.Launched;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Correct backends of many kinds, which no rule fails. */
class CorrectBackendsTest {
  private static void requirePasses(Supplier<Specimen> specimen) {
    Launched launched = Verifications.run(specimen);

    assertThat(launched.rules())
        .as("failures %s", launched.failures())
        .containsOnly(PlantedDefectsTest.NO_SERVICE);
    assertThat(launched.passed()).hasSizeGreaterThan(30);
  }

  private static void requirePasses(Class<?> verification, Supplier<Specimen> specimen) {
    Launched launched = Verifications.launch(verification, specimen);

    assertThat(launched.failures()).isEmpty();
    assertThat(launched.passed()).isNotEmpty();
  }

  @Test
  void aModelWithoutAnythingSpecial() {
    requirePasses(Specimen::new);
  }

  @Test
  void aModelThatAnswersLaterFromOtherThreads() {
    requirePasses(DetachedDefects.Later::new);
    requirePasses(Verifications.Detached.class, DetachedDefects.Later::new);
  }

  @Test
  void aModelThatEndsDetachedRequestsOnceTheyAreCancelled() {
    requirePasses(Verifications.Detached.class, DetachedDefects.Waiting::new);
  }

  @Test
  void aModelThatAnswersSomeRequestsLaterAndOthersAtOnce() {
    requirePasses(
        Verifications.Detached.class,
        () ->
            new DetachedDefects.Later() {
              @Override
              void detach(Batch batch, int i, Results results) {
                if (i % 2 == 0) {
                  super.detach(batch, i, results);
                } else {
                  answer(batch, i, results);
                }
              }
            });
  }

  @Test
  void aModelThatAnswersADetachedRequestBeforeItReturns() {
    requirePasses(
        Verifications.Detached.class,
        () ->
            new DetachedDefects.Later() {
              @Override
              void detach(Batch batch, int i, Results results) {
                answer(results.detach(i));
              }
            });
  }

  @Test
  void aModelThatCopiesEachType() {
    requirePasses(Verifications.Types.class, ValueDefects.Identity::new);
  }

  @Test
  void aModelThatGivesNoNumbersAndInfinities() {
    requirePasses(() ->
        new Specimen() {
          @Override
          void answer(Batch batch, int i, Results results) {
            Tensor in = batch.input(i, "IN").orElseThrow();
            for (String output : List.of("SAME", "OTHER")) {
              if (results.wants(i, output)) {
                var target = results.allocate(i, output, DataType.FP32, in.shape(), in.byteSize());
                for (long at = 0; at < in.byteSize(); at += Float.BYTES) {
                  float value = in.data().get(Elements.FLOAT, at);
                  float odd = value > 1 ? Float.POSITIVE_INFINITY : (float) Math.log(value);
                  target.set(Elements.FLOAT, at, odd);
                }
              }
            }
          }
        });
  }

  @Test
  void aRandomModelThatSaysSo() {
    requirePasses(() ->
        new Specimen() {
          @Override
          public boolean isDeterministic() {
            return false;
          }

          @Override
          void answer(Batch batch, int i, Results results) {
            Tensor in = batch.input(i, "IN").orElseThrow();
            for (String output : List.of("SAME", "OTHER")) {
              if (results.wants(i, output)) {
                var target = results.allocate(i, output, DataType.FP32, in.shape(), in.byteSize());
                for (long at = 0; at < in.byteSize(); at += Float.BYTES) {
                  target.set(Elements.FLOAT, at, ThreadLocalRandom.current().nextFloat());
                }
              }
            }
          }
        });
  }

  @Test
  void aModelThatNeedsAParameterAndRefusesARequestWithoutIt() {
    requirePasses(() ->
        new Specimen() {
          @Override
          public Map<String, Parameter> parameters(ModelConfig config, long seed) {
            return Map.of("temperature", new Parameter.OfDouble(0.5));
          }

          @Override
          public Optional<SampleRequest> refused(ModelConfig config) {
            return Optional.of(SampleRequest.of(inputs(config, 1, 3)));
          }

          @Override
          void answer(Batch batch, int i, Results results) {
            if (batch.request(i).options().parameters().containsKey("temperature")) {
              super.answer(batch, i, results);
            } else {
              results.fail(i, InferenceException.invalid("model 'specimen' needs 'temperature'"));
            }
          }

          @Override
          public Optional<Map<String, Tensor>> expected(ModelConfig config, SampleRequest request) {
            return Optional.of(Map.of("SAME", request.inputs().getFirst()));
          }
        });
  }

  @Test
  void aModelThatReadsJsonInBytes() {
    requirePasses(() ->
        new Specimen() {
          @Override
          ModelConfig config() {
            return super.config()
                .withSignature(
                    MAX_BATCH,
                    List.of(TensorConfig.of("IN", DataType.BYTES, Shape.of(-1))),
                    List.of(TensorConfig.of("LENGTH", DataType.INT32, Shape.of(1))));
          }

          @Override
          public long dimension(TensorConfig input, int axis) {
            return 1;
          }

          @Override
          public List<Tensor> inputs(ModelConfig config, long rows, long seed) {
            String[] texts = new String[(int) rows];
            for (int i = 0; i < rows; i++) {
              texts[i] = "{\"text\":\"%s\"}".formatted("x".repeat((int) (seed + i) % 50));
            }
            var data = MemorySegment.ofArray(Samples.strings(texts));
            return List.of(new Tensor("IN", DataType.BYTES, Shape.of(rows, 1), data));
          }

          @Override
          void answer(Batch batch, int i, Results results) {
            Tensor in = batch.input(i, "IN").orElseThrow();
            if (!results.wants(i, "LENGTH")) {
              return;
            }
            long rows = in.shape().dim(0);
            var target =
                results.allocate(
                    i, "LENGTH", DataType.INT32, Shape.of(rows, 1), rows * Integer.BYTES);
            long[] row = new long[1];
            BytesElements.forEach(
                in.data(),
                (offset, byteSize) -> {
                  byte[] bytes = in.data().asSlice(offset, byteSize).toArray(ValueLayout.JAVA_BYTE);
                  if (!new String(bytes, StandardCharsets.UTF_8).startsWith("{\"text\":\"")) {
                    throw new IllegalStateException("no JSON");
                  }
                  target.setAtIndex(Elements.INT, row[0]++, bytes.length);
                });
          }
        });
  }

  @Test
  void aBackendThatIsOpenedOnceInAProcess() {
    var opened = new AtomicInteger();
    class Once extends Specimen {
      @Override
      public boolean opensOnce() {
        return true;
      }

      @Override
      public Backend open(BackendContext context) {
        if (opened.incrementAndGet() > 1) {
          throw InferenceException.unavailable("one environment per process");
        }
        return super.open(context);
      }
    }
    requirePasses(Once::new);
    assertThat(opened).hasValue(1);
  }

  @Test
  void aModelThatGivesMemoryOfItsOwn() {
    requirePasses(MemoryDefects.Giving::new);
  }

  @Test
  void aModelThatGivesMemoryThatTheCollectorFrees() {
    class Collected extends MemoryDefects.Giving {
      private int given;

      @Override
      MemorySegment memory(Arena arena, long byteSize) {
        given++;
        return given % 2 == 0
            ? Arena.ofAuto().allocate(byteSize)
            : MemorySegment.ofBuffer(ByteBuffer.allocateDirect((int) byteSize));
      }
    }
    requirePasses(Collected::new);
    requirePasses(Verifications.Leaks.class, Collected::new);
  }

  @Test
  void aModelThatGivesMemoryOfAPool() {
    class Pooled extends Specimen {
      private final Deque<MemorySegment> free = new ArrayDeque<>();

      private synchronized MemorySegment take() {
        MemorySegment pooled = free.poll();
        return pooled == null ? Arena.ofAuto().allocate(MAX_BATCH * ROW) : pooled;
      }

      private synchronized void back(MemorySegment memory) {
        free.add(memory);
      }

      @Override
      void execute(Batch batch, Results results) {
        Tensor all = batch.gathered("IN").orElseThrow();
        for (String output : List.of("SAME", "OTHER")) {
          if (results.wants(output)) {
            var memory = take();
            write(output, all.data(), memory);
            var data = memory.asSlice(0, all.byteSize());
            results.giveBatch(
                new Tensor(output, DataType.FP32, all.shape(), data), () -> back(memory));
          }
        }
      }
    }
    requirePasses(Pooled::new);
    if (Verifications.FULL) { // takes seconds
      requirePasses(Verifications.Leaks.class, Pooled::new);
      requirePasses(Verifications.Leaks.class, MemoryDefects.Giving::new);
    }
  }

  @Test
  void aModelThatLeavesNothing() {
    requirePasses(Verifications.Leaks.class, Specimen::new);
  }

  @Test
  void aModelThatRunsOnAnyThreadAndFillsItsOutputs() {
    requirePasses(() ->
        new Specimen() {
          @Override
          boolean runsOnAnyThread() {
            return true;
          }

          @Override
          boolean fillsOutputs() {
            return true;
          }

          @Override
          public Optional<SampleRequest> longRequest(ModelConfig config) {
            return Optional.of(
                SampleRequest.of(
                    inputs(config, 1, 3), Map.of("hold", new Parameter.OfBoolean(true))));
          }

          @Override
          void answer(Batch batch, int i, Results results) {
            if (batch.request(i).options().parameters().containsKey("hold")) {
              var cancelled = new CountDownLatch(1);
              batch.onCancel(cancelled::countDown);
              try {
                cancelled.await(5, TimeUnit.SECONDS);
              } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
              }
            }
            super.answer(batch, i, results);
          }
        });
  }

  @Test
  void aModelWithAnAllocatorAStrategyAndItsMemoryUsage() {
    class Rich extends Specimen {
      private final Map<Long, Arena> slabs = new HashMap<>();

      @Override
      Optional<HostAllocator> inputAllocator() {
        return Optional.of(
            new HostAllocator() {
              @Override
              public MemorySegment allocate(long byteSize) {
                var arena = Arena.ofShared();
                var slab = arena.allocate(byteSize, 64);
                slabs.put(slab.address(), arena);
                return slab;
              }

              @Override
              public void free(MemorySegment segment) {
                Objects.requireNonNull(slabs.remove(segment.address())).close();
              }
            });
      }

      @Override
      Optional<BatchingStrategy> batchingStrategy() {
        return Optional.of(
            new BatchingStrategy() {
              private int rows;

              @Override
              public void begin(InferenceRequest first) {
                rows = 1;
              }

              @Override
              public boolean includes(InferenceRequest next) {
                rows++;
                return rows % 2 == 0;
              }
            });
      }

      @Override
      List<MemoryUsage> memoryUsage() {
        return List.of(new MemoryUsage("CPU", 0, 1 << 20));
      }
    }
    requirePasses(Rich::new);
  }

  /** Inputs of 48 MiB in a batch: the tests have a heap of 1 GiB. */
  @Test
  void aModelWithLargeInputs() {
    class Large extends Specimen {
      private static final int FLOATS = 2 << 20;

      @Override
      ModelConfig config() {
        return super.config()
            .withSignature(
                MAX_BATCH,
                List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(FLOATS))),
                List.of(TensorConfig.of("SAME", DataType.FP32, Shape.of(1))));
      }

      @Override
      public List<Tensor> inputs(ModelConfig config, long rows, long seed) {
        var data = MemorySegment.ofArray(new float[(int) rows * FLOATS]);
        data.set(Elements.FLOAT, 0, (float) seed);
        return List.of(new Tensor("IN", DataType.FP32, Shape.of(rows, FLOATS), data));
      }

      @Override
      Optional<HostAllocator> inputAllocator() {
        return Optional.of(
            new HostAllocator() {
              @Override
              public MemorySegment allocate(long byteSize) {
                return Arena.ofAuto().allocate(byteSize, 64);
              }

              @Override
              public void free(MemorySegment segment) {}
            });
      }

      @Override
      void answer(Batch batch, int i, Results results) {
        MemorySegment in = batch.input(i, "IN").orElseThrow().data();
        long rows = in.byteSize() / Float.BYTES / FLOATS;
        if (results.wants(i, "SAME")) {
          var target = results.allocate(i, "SAME", DataType.FP32, Shape.of(rows, 1), rows * 4);
          for (long row = 0; row < rows; row++) {
            target.setAtIndex(Elements.FLOAT, row, in.getAtIndex(Elements.FLOAT, row * FLOATS));
          }
        }
      }
    }
    requirePasses(Verifications.Threading.class, Large::new);
    requirePasses(Verifications.Declarations.class, Large::new);
  }

  @Test
  void aModelOnAMachineThatStopsForAWhile() {
    class Stopped extends Specimen {
      private final Set<String> stopped = ConcurrentHashMap.newKeySet();

      private void stopOnce(String method) {
        if (stopped.add(method)) {
          LockSupport.parkNanos(600_000_000);
        }
      }

      @Override
      List<MemoryUsage> memoryUsage() {
        stopOnce("memoryUsage");
        return List.of();
      }

      @Override
      void cancelLoads() {
        stopOnce("cancelLoads");
      }
    }
    requirePasses(Stopped::new);
  }

  @Test
  void aModelWhoseRequestsDifferInLength() {
    requirePasses(ExtremeDefects.Mean::new);
  }

  @Test
  void aModelThatCopiesStrings() {
    requirePasses(ExtremeDefects.Strings::new);
  }

  @Test
  void aModelThatRefusesAnInputWithoutElements() {
    requirePasses(() ->
        new ExtremeDefects.Mean() {
          @Override
          float mean(float sum, long length) {
            if (length == 0) {
              throw InferenceException.invalid("model 'specimen': input 'IN' has no element");
            }
            return super.mean(sum, length);
          }
        });
  }

  @Test
  void aModelWithAnInputThatIsOptional() {
    requirePasses(OptionalInputDefects.OptionalBias::new);
  }

  @Test
  void aModelThatDoesNotBatch() {
    requirePasses(() ->
        new Specimen() {
          @Override
          ModelConfig config() {
            return super.config()
                .withSignature(0, super.config().inputs(), super.config().outputs());
          }
        });
  }

  @Test
  void aDecoupledModel() {
    requirePasses(FlowDefects.Decoupled::new);
    requirePasses(Verifications.Decoupled.class, FlowDefects.Decoupled::new);
  }

  @Test
  void aDecoupledModelWhoseNumberOfResponsesIsRandom() {
    class RandomCount extends FlowDefects.Decoupled {
      private int requests;

      @Override
      public boolean isDeterministic() {
        return false;
      }

      @Override
      void answer(Batch batch, int i, Results results) {
        int responses = requests++ % WIDTH + 1;
        for (int sent = 0; sent < responses && !batch.isCancelled(); sent++) {
          put(results, i, (float) sent);
          results.send(i);
        }
        results.finish(i);
      }
    }
    requirePasses(RandomCount::new);
    requirePasses(Verifications.Decoupled.class, RandomCount::new);
  }

  @Test
  void aSequenceModelThatKeepsItsState() {
    requirePasses(FlowDefects.Sequences::new);
    requirePasses(Verifications.Sequences.class, FlowDefects.Sequences::new);
  }

  @Test
  void aSequenceModelThatFindsItsStateByTheCorrelationId() {
    requirePasses(SequenceDefects.Correlated::new);
    requirePasses(Verifications.Sequences.class, SequenceDefects.Correlated::new);
    if (Verifications.FULL) {
      requirePasses(Verifications.Leaks.class, SequenceDefects.Correlated::new);
    }
  }

  @Test
  void aSequenceModelThatFindsItsStateByTheSequenceIdOfTheRequest() {
    class Options extends SequenceDefects.Correlated {
      @Override
      long id(Batch batch, int i) {
        var options = batch.request(i).options();
        assertThat(options.sequenceStart()).isEqualTo(is(batch, i, "START"));
        assertThat(options.sequenceEnd()).isEqualTo(is(batch, i, "END"));
        return ((SequenceId.OfNumber) options.sequenceId()).value();
      }
    }
    requirePasses(Verifications.Sequences.class, Options::new);
  }

  @Test
  void aSequenceModelWhoseStateTheServerKeeps() {
    requirePasses(SequenceDefects.Stateful::new);
    requirePasses(Verifications.Sequences.class, SequenceDefects.Stateful::new);
  }
}
