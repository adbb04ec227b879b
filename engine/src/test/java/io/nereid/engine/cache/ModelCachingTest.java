package io.nereid.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.DurationSum;
import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.spi.cache.CacheEntry;
import io.nereid.spi.cache.CacheKey;
import io.nereid.spi.cache.CacheMetrics;
import io.nereid.spi.cache.Insertion;
import io.nereid.spi.cache.ResponseCache;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ModelCachingTest {
  private static final ModelKey MODEL = new ModelKey("m", 1);

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final ModelStatistics statistics =
      new ModelStatistics("", MODEL, Map.of(), true, LatencyRecording.NONE);
  private final FakeCache cache = new FakeCache();
  private final LogCapture log = new LogCapture(CacheFailures.class.getName());
  private long nanos = TimeUnit.HOURS.toNanos(1);
  private final ResponseCaching server = new ResponseCaching(cache, pool, () -> nanos);
  private final ModelCaching caching = server.ofModel(statistics.cache().orElseThrow());
  private RecordedOutcome outcome = new RecordedOutcome();

  @AfterEach
  void assertNothingIsHeld() {
    log.close();
    assertThat(pool.outstanding()).isZero();
    assertThat(cache.open).isZero();
  }

  /** A cache of one entry, which it returns for any key; it fails if told to. */
  private static final class FakeCache implements ResponseCache {
    private @Nullable MemorySegment entry;
    private boolean fails;
    private @Nullable Error failure;
    private long capacityBytes;
    private int open;
    private final List<Long> removed = new ArrayList<>();

    @Override
    public Optional<CacheEntry> lookUp(CacheKey key) {
      failIfTold();
      if (entry == null) {
        return Optional.empty();
      }
      open++;
      MemorySegment found = entry;
      return Optional.of(
          new CacheEntry() {
            @Override
            public MemorySegment data() {
              return found;
            }

            @Override
            public void close() {
              open--;
            }
          });
    }

    @Override
    public Insertion insert(CacheKey key, long byteSize, Consumer<MemorySegment> content) {
      failIfTold();
      if (entry != null) {
        return Insertion.ALREADY_EXISTS;
      }
      MemorySegment data = Arena.ofAuto().allocate(byteSize, 64);
      content.accept(data);
      entry = data;
      return Insertion.INSERTED;
    }

    private void failIfTold() {
      if (fails && failure != null) {
        throw failure;
      }
      if (fails) {
        throw InferenceException.unavailable("the cache is away");
      }
    }

    @Override
    public void remove(long generation) {
      failIfTold();
      removed.add(generation);
    }

    @Override
    public CacheMetrics metrics() {
      return new CacheMetrics(entry == null ? 0 : 1, 0, capacityBytes, 0, 0, 0);
    }

    @Override
    public void close() {}
  }

  /** A request whose only input has these bytes. */
  private PendingRequest request(String id, byte... content) {
    outcome = new RecordedOutcome();
    Lease lease = pool.lease(content.length);
    lease.segment().copyFrom(MemorySegment.ofArray(content));
    var input = new Tensor("IN", DataType.UINT8, Shape.of(content.length), lease.segment());
    var request =
        new InferenceRequest(MODEL, id, List.of(input), List.of("OUT"), RequestOptions.NONE);
    return new PendingRequest(
        request,
        1,
        List.of(lease),
        () -> {},
        new ResponsePromise(outcome),
        nanos,
        PendingRequest.NEVER);
  }

  private InferenceResponse response(byte... content) {
    Lease lease = pool.lease(content.length);
    lease.segment().copyFrom(MemorySegment.ofArray(content));
    var output = new Tensor("OUT", DataType.UINT8, Shape.of(1, content.length), lease.segment());
    return new InferenceResponse(
        MODEL,
        "from the model",
        Map.of("text", new Parameter.OfString("Ü"), "half", new Parameter.OfDouble(0.5)),
        List.of(output),
        List.of(lease::close));
  }

  /** Looks a request up without effect, and executes it. */
  private void execute(PendingRequest request, byte... content) {
    assertThat(caching.lookUp(request)).isNull();
    request.close();
    request.promise().answer(response(content));
    outcome.response().close();
  }

  private DurationSum misses() {
    return statistics.snapshot(0, List.of()).requests().cacheMiss();
  }

  private DurationSum hits() {
    return statistics.snapshot(0, List.of()).requests().cacheHit();
  }

  @Test
  void answersWithTheResponseToAnEqualRequestUnderTheNewId() {
    execute(request("first", (byte) 1, (byte) 2), (byte) 3, (byte) 4, (byte) 5);
    PendingRequest second = request("second", (byte) 1, (byte) 2);

    try (InferenceResponse cached = Objects.requireNonNull(caching.lookUp(second))) {
      assertThat(cached.id()).isEqualTo("second");
      assertThat(cached.model()).isEqualTo(MODEL);
      assertThat(cached.parameters())
          .isEqualTo(
              Map.of("text", new Parameter.OfString("Ü"), "half", new Parameter.OfDouble(0.5)));
      Tensor output = cached.output("OUT").orElseThrow();
      assertThat(output.dataType()).isEqualTo(DataType.UINT8);
      assertThat(output.shape()).isEqualTo(Shape.of(1, 3));
      assertThat(output.data().toArray(ValueLayout.JAVA_BYTE)).containsExactly(3, 4, 5);
    }
    second.close();
    assertThat(hits().count()).isEqualTo(1);
    assertThat(misses().count()).isEqualTo(1);
  }

  @Test
  void executesARequestWhoseKeyIsEqualAndWhoseContentIsNot() {
    execute(request("first", (byte) 1, (byte) 2), (byte) 3);

    execute(request("other bytes", (byte) 1, (byte) 9), (byte) 4);
    execute(request("other shape", (byte) 1), (byte) 5);

    assertThat(hits().count()).isZero();
    assertThat(misses().count()).as("the others could not be inserted").isEqualTo(1);
  }

  @Test
  void countsTheLookUpAndTheInsertionOfAMiss() {
    PendingRequest first = request("first", (byte) 1);
    assertThat(caching.lookUp(first)).isNull();
    nanos += 1_000;
    first.close();
    first.promise().answer(response((byte) 2));
    outcome.response().close();

    assertThat(misses()).isEqualTo(new DurationSum(1, 0)); // the clock stood still in both
  }

  @Test
  void noFailureOfTheCacheReachesAClient() {
    cache.fails = true;

    execute(request("first", (byte) 1), (byte) 2);
    execute(request("second", (byte) 1), (byte) 2);
    caching.close();

    assertThat(misses().count()).isEqualTo(2);
    assertThat(log.messages())
        .as("one message per second")
        .containsExactly(
            "response cache: a response was not looked up (0 failures since the last message are"
                + " left out)");
    nanos += TimeUnit.SECONDS.toNanos(1);
    execute(request("third", (byte) 1), (byte) 2);
    assertThat(log.messages())
        .hasSize(2)
        .last()
        .asString()
        .contains("(4 failures since the last message");
  }

  @Test
  void noErrorOfTheCacheReachesAClient() {
    cache.failure = new StackOverflowError();
    cache.fails = true;

    execute(request("first", (byte) 1), (byte) 2);
    caching.close();

    assertThat(misses().count()).isEqualTo(1);
  }

  @Test
  void executesARequestWhoseEntryIsDamaged() {
    execute(request("first", (byte) 1), (byte) 2);
    cache.entry = Objects.requireNonNull(cache.entry).asSlice(0, 100);
    PendingRequest second = request("second", (byte) 1);

    assertThat(caching.lookUp(second)).isNull();

    second.close();
    second.promise().answer(response((byte) 2));
    outcome.response().close();
    assertThat(hits().count()).isZero();
  }

  @Test
  void copiesNoInputsThatAreLargerThanTheCacheAndLogsIt() {
    cache.capacityBytes = 1;
    var small = new ResponseCaching(cache, pool, () -> nanos);
    PendingRequest first = request("first", (byte) 1, (byte) 2);
    long leases = pool.outstanding();

    assertThat(small.ofModel(statistics.cache().orElseThrow()).lookUp(first)).isNull();

    assertThat(pool.outstanding()).isEqualTo(leases);
    first.close();
    first.promise().answer(response((byte) 2));
    outcome.response().close();
    assertThat(misses().count()).isEqualTo(1);
    assertThat(cache.entry).isNull();
    assertThat(log.messages())
        .singleElement()
        .asString()
        .startsWith("response cache: Failed to insert key CacheKey[")
        .contains("], as it has no room for it (0 failures");
  }

  @Test
  void insertsNothingOfARequestThatFails() {
    PendingRequest first = request("first", (byte) 1);
    assertThat(caching.lookUp(first)).isNull();
    first.close();

    first.promise().fail(InferenceException.invalid("no"));

    assertThat(outcome.failure()).hasMessage("no");
    assertThat(cache.entry).isNull();
    assertThat(misses().count()).isZero();
  }

  @Test
  void insertsNothingOfARequestThatWasCancelledBeforeItsLookUp() {
    PendingRequest first = request("first", (byte) 1);
    first.promise().cancel();

    assertThat(caching.lookUp(first)).isNull();
    first.close();
    first.promise().answer(response((byte) 2));

    assertThat(outcome.failure().code()).isEqualTo(StatusCode.CANCELLED);
    assertThat(cache.entry).isNull();
  }

  @Test
  void insertsNothingOfARequestThatIsCancelledWhileItExecutes() {
    PendingRequest first = request("first", (byte) 1);
    assertThat(caching.lookUp(first)).isNull();

    first.promise().cancel();

    assertThat(pool.outstanding()).as("the instance still reads the inputs").isEqualTo(1);
    first.close();
    first.promise().answer(response((byte) 2));
    assertThat(cache.entry).isNull();
  }

  @Test
  void removesItsEntriesWhenTheModelIsClosedAndThoseThatFollow() {
    PendingRequest late = request("late", (byte) 1);
    assertThat(caching.lookUp(late)).isNull();

    caching.close();
    late.close();
    late.promise().answer(response((byte) 2));
    outcome.response().close();

    assertThat(cache.removed).hasSize(2);
    assertThat(cache.removed.getFirst()).isEqualTo(cache.removed.getLast());
  }

  @Test
  void everyLoadHasItsOwnGeneration() {
    server.ofModel(statistics.cache().orElseThrow()).close();
    caching.close();

    assertThat(cache.removed).doesNotHaveDuplicates().hasSize(2);
  }
}
