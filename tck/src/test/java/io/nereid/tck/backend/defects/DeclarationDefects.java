package io.nereid.tck.backend.defects;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.Check;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.MemoryUsage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Wrong statements of a backend, and wrong objects that it provides. */
final class DeclarationDefects {
  private DeclarationDefects() {}

  private static Planted gpus(String defect, Supplier<List<Integer>> gpus) {
    return Planted.of(
        "DECL-01",
        defect,
        () ->
            new Specimen() {
              @Override
              List<Integer> gpus() {
                return gpus.get();
              }
            });
  }

  private static Planted usage(String defect, Supplier<List<MemoryUsage>> usage) {
    return Planted.of(
        "DECL-04",
        defect,
        () ->
            new Specimen() {
              @Override
              public Duration maxCall() {
                return SHORT_CALL;
              }

              @Override
              List<MemoryUsage> memoryUsage() {
                return usage.get();
              }
            });
  }

  private static Planted allocator(String defect, LongFunction<MemorySegment> allocate) {
    return Planted.of(
        "DECL-05",
        defect,
        () ->
            new Specimen() {
              @Override
              Optional<HostAllocator> inputAllocator() {
                return Optional.of(
                    new HostAllocator() {
                      @Override
                      public MemorySegment allocate(long byteSize) {
                        return allocate.apply(byteSize);
                      }

                      @Override
                      public void free(MemorySegment segment) {}
                    });
              }
            });
  }

  private static Planted checks(String defect, Supplier<List<Check>> checks) {
    return Planted.of(
        "DECL-07",
        defect,
        () ->
            new Specimen() {
              @Override
              public List<Check> check(BackendContext context) {
                return checks.get();
              }
            });
  }

  private static Planted strategy(String defect, Supplier<BatchingStrategy> strategy) {
    return Planted.of(
        "DECL-06",
        defect,
        () ->
            new Specimen() {
              @Override
              Optional<BatchingStrategy> batchingStrategy() {
                return Optional.of(strategy.get());
              }
            });
  }

  /** A strategy that decides by the requests of all batches. */
  private static final class Counting implements BatchingStrategy {
    private int asked;

    @Override
    public void begin(InferenceRequest first) {}

    @Override
    public boolean includes(InferenceRequest next) {
      return asked++ % 3 == 0;
    }
  }

  /** A strategy that compares with a request of the batch before. */
  private static final class Keeping implements BatchingStrategy {
    private final List<InferenceRequest> kept = new ArrayList<>();

    @Override
    public void begin(InferenceRequest first) {
      kept.add(first);
    }

    @Override
    public boolean includes(InferenceRequest next) {
      return kept.getFirst().inputs().getFirst().data().mismatch(next.inputs().getFirst().data())
          != -1;
    }
  }

  /** A strategy that waits for something. */
  private static final class Waiting implements BatchingStrategy {
    @Override
    public void begin(InferenceRequest first) {}

    @Override
    public boolean includes(InferenceRequest next) {
      LockSupport.parkNanos(30_000_000);
      return true;
    }
  }

  static List<Planted> all() {
    List<Planted> all = new ArrayList<>(backends());
    all.addAll(models());
    return all;
  }

  private static List<Planted> backends() {
    return List.of(
        gpus("names GPUs out of order", () -> List.of(1, 0)),
        gpus("names a GPU twice", () -> List.of(0, 0)),
        gpus("names a GPU -1", () -> List.of(-1)),
        gpus("returns null from gpus", LifecycleDefects::absent),
        Planted.of(
            "DECL-02",
            "has no instances by default",
            () ->
                new Specimen() {
                  @Override
                  int count(InstanceSettings.Kind kind) {
                    return 0;
                  }
                }),
        Planted.of(
            "DECL-03",
            "warns without naming the model",
            () ->
                new Specimen() {
                  @Override
                  List<String> warnings(ModelConfig config) {
                    return List.of("no accelerator");
                  }
                }),
        Planted.of(
            "DECL-03",
            "throws from warnings",
            () ->
                new Specimen() {
                  @Override
                  List<String> warnings(ModelConfig config) {
                    throw new UnsupportedOperationException();
                  }
                }),
        checks("returns null from check", LifecycleDefects::absent),
        checks("finds nothing in words", () -> List.of(Check.ok("driver", " "))),
        checks(
            "throws from check",
            () -> {
              throw InferenceException.unavailable("no driver");
            }),
        Planted.of(
            "DECL-08",
            "throws from cancelLoads",
            () ->
                new Specimen() {
                  @Override
                  void cancelLoads() {
                    throw new IllegalStateException("no load");
                  }
                }),
        Planted.of(
            "DECL-08",
            "waits in cancelLoads",
            () ->
                new Specimen() {
                  @Override
                  public Duration maxCall() {
                    return SHORT_CALL;
                  }

                  @Override
                  void cancelLoads() {
                    LifecycleDefects.hang();
                  }
                }),
        Planted.of(
            "DECL-08",
            "fails loads as INTERNAL after cancelLoads",
            () ->
                new Specimen() {
                  private volatile boolean cancelled;

                  @Override
                  void cancelLoads() {
                    cancelled = true;
                  }

                  @Override
                  void load(ModelConfig config) {
                    if (cancelled) {
                      throw InferenceException.internal("interrupted");
                    }
                  }
                }));
  }

  private static List<Planted> models() {
    return List.of(
        usage("returns null from memoryUsage", LifecycleDefects::absent),
        usage(
            "throws from memoryUsage",
            () -> {
              throw new IllegalStateException("no device");
            }),
        usage(
            "measures for a second in memoryUsage",
            () -> {
              LockSupport.parkNanos(1_000_000_000);
              return List.of();
            }),
        usage("uses memory of an unknown kind", () -> List.of(new MemoryUsage("VRAM", 0, 1))),
        Planted.of(
            "DECL-04",
            "cannot tell its memory usage once it is closed",
            () ->
                new Specimen() {
                  private volatile boolean closed;

                  @Override
                  void closeModel() {
                    closed = true;
                  }

                  @Override
                  List<MemoryUsage> memoryUsage() {
                    if (closed) {
                      throw new IllegalStateException("closed");
                    }
                    return List.of();
                  }
                }),
        allocator("allocates a byte less", size -> Arena.ofAuto().allocate(size - 1, 64)),
        allocator(
            "allocates without alignment",
            size -> Arena.ofAuto().allocate(size + 64, 64).asSlice(8, size)),
        allocator("allocates for one thread", size -> Arena.ofConfined().allocate(size, 64)),
        allocator("allocates on the heap", size -> MemorySegment.ofArray(new long[(int) size / 8])),
        allocator("returns null from allocate", _ -> LifecycleDefects.absent()),
        Planted.of(
            "DECL-05",
            "lends the same memory twice",
            () ->
                new Specimen() {
                  private final MemorySegment all = Arena.ofAuto().allocate(4 << 20, 64);

                  @Override
                  Optional<HostAllocator> inputAllocator() {
                    return Optional.of(
                        new HostAllocator() {
                          @Override
                          public MemorySegment allocate(long byteSize) {
                            return all.asSlice(0, byteSize);
                          }

                          @Override
                          public void free(MemorySegment segment) {}
                        });
                  }
                }),
        Planted.of(
            "DECL-05",
            "cannot free memory once the model is closed",
            () ->
                new Specimen() {
                  private volatile boolean closed;

                  @Override
                  void closeModel() {
                    closed = true;
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
                          public void free(MemorySegment segment) {
                            if (closed) {
                              throw new IllegalStateException("closed");
                            }
                          }
                        });
                  }
                }),
        strategy("decides by a count of all requests", Counting::new),
        strategy("keeps the request of a batch", Keeping::new),
        strategy("waits in each decision", Waiting::new),
        Planted.of(
            "DECL-09",
            "returns null as the reason of a failure",
            () ->
                new Specimen() {
                  @Override
                  Optional<String> failureReason() {
                    return LifecycleDefects.absent();
                  }
                }),
        Planted.of(
            "DECL-09",
            "throws when it is asked for a reason",
            () ->
                new Specimen() {
                  @Override
                  Optional<String> failureReason() {
                    return Optional.of(List.<String>of().getFirst());
                  }
                }),
        Planted.of(
            "DECL-10",
            "fills outputs only the first time it is asked",
            () ->
                new Specimen() {
                  private boolean asked;

                  @Override
                  boolean fillsOutputs() {
                    asked = !asked;
                    return asked;
                  }
                }));
  }
}
