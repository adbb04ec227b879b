package io.nereid.engine.scheduling.policy.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchCostSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.scheduling.policy.simulation.Simulation.Violation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shows that a simulation fails for a policy with a fault; {@code make mutate} tries many more. */
class BrokenPolicyTest {
  private static final long SEEDS = 1_000;

  /** A fault that is added to a correct policy. */
  enum Fault {
    LATE_DECISION {
      @Override
      @Nullable Object call(SchedulingPolicy policy, Method method, @Nullable Object[] arguments) {
        Object result = invoke(policy, method, arguments);
        return result instanceof Long nanos && nanos != Ticket.NEVER
            ? (Object) (nanos + 1)
            : result;
      }
    },
    LOST_CANCELLATION {
      @Override
      @Nullable Object call(SchedulingPolicy policy, Method method, @Nullable Object[] arguments) {
        return method.getName().equals("cancelled") ? null : invoke(policy, method, arguments);
      }
    },
    LOST_WAKE {
      @Override
      @Nullable Object action(SchedulingActions actions, Method method, Object[] arguments) {
        return method.getName().equals("wake") ? null : invoke(actions, method, arguments);
      }
    },
    WRONG_INSTANCE {
      @Override
      @Nullable Object action(SchedulingActions actions, Method method, Object[] arguments) {
        if (method.getName().equals("dispatch")) {
          arguments[0] = (Integer) arguments[0] + 1;
        }
        return invoke(actions, method, arguments);
      }
    };

    @Nullable Object call(SchedulingPolicy policy, Method method, @Nullable Object[] arguments) {
      return invoke(policy, method, arguments);
    }

    @Nullable Object action(SchedulingActions actions, Method method, Object[] arguments) {
      return invoke(actions, method, arguments);
    }

    SchedulingPolicy addTo(SchedulingPolicy policy) {
      return proxy(
          SchedulingPolicy.class,
          (method, arguments) -> {
            int last = arguments.length - 1;
            if (last >= 0 && arguments[last] instanceof SchedulingActions actions) {
              arguments[last] =
                  proxy(SchedulingActions.class, (name, values) -> action(actions, name, values));
            }
            return call(policy, method, arguments);
          });
    }
  }

  /** A method call on a proxy. */
  private interface Call {
    @Nullable Object on(Method method, Object[] arguments);
  }

  /** A configuration whose policy has a fault. */
  private record BrokenConfiguration(Configuration configuration, Fault fault)
      implements Configuration {
    @Override
    public SchedulingPolicy policy() {
      return fault.addTo(configuration.policy());
    }

    @Override
    public SchedulingPolicy reference() {
      return configuration.reference();
    }

    @Override
    public QueueLimits limits() {
      return configuration.limits();
    }

    @Override
    public int maxRows() {
      return configuration.maxRows();
    }

    @Override
    public @Nullable BatchCostSettings costs() {
      return configuration.costs();
    }

    @Override
    public boolean hasFixedRows() {
      return configuration.hasFixedRows();
    }

    @Override
    public boolean isIterative() {
      return configuration.isIterative();
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachSimulationDetectsTheFault(Fault fault) {
    assertThat(SimulatedScheduler.values())
        .allSatisfy(scheduler -> assertThat(firstViolation(scheduler, fault)).isPresent());
  }

  private static Optional<Violation> firstViolation(SimulatedScheduler scheduler, Fault fault) {
    return LongStream.range(0, SEEDS)
        .mapToObj(scheduler::scenario)
        .map(each ->
            new Scenario(
                new BrokenConfiguration(each.configuration(), fault), each.prompt(), each.ticks()))
        .flatMap(scenario -> Shrinker.violation(scenario, Log.NONE).stream())
        .findFirst();
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) ->
                call.on(method, arguments == null ? new Object[0] : arguments.clone())));
  }

  private static @Nullable Object invoke(
      Object target, Method method, @Nullable Object[] arguments) {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException failed) {
      throw new IllegalStateException(failed.getCause());
    } catch (IllegalAccessException impossible) {
      throw new AssertionError(Arrays.toString(arguments), impossible);
    }
  }
}
