package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A search for tickets that a policy still refers to. An ended request must not be reachable from a
 * queue, a heap or an array.
 */
final class ReachableTickets {
  /** The packages of policies and ticket queues, whose fields are searched. */
  private static final List<String> PACKAGES =
      List.of(SchedulingPolicy.class.getPackageName(), Ticket.class.getPackageName());

  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Deque<Object> next = new ArrayDeque<>();

  private ReachableTickets() {}

  /** The first ticket found from a policy, if any. */
  static Optional<Ticket> firstFrom(SchedulingPolicy policy) {
    var search = new ReachableTickets();
    search.add(policy);
    return search.run();
  }

  private Optional<Ticket> run() {
    for (Object each = next.poll(); each != null; each = next.poll()) {
      switch (each) {
        case Ticket ticket -> {
          return Optional.of(ticket);
        }
        case Object[] array -> {
          for (Object element : array) {
            add(element);
          }
        }
        case Iterable<?> collection -> collection.forEach(this::add);
        case Map<?, ?> map -> {
          map.keySet().forEach(this::add);
          map.values().forEach(this::add);
        }
        default -> addFields(each);
      }
    }
    return Optional.empty();
  }

  private void addFields(Object object) {
    String name = object.getClass().getPackageName();
    if (PACKAGES.stream().noneMatch(name::startsWith)) {
      return;
    }
    for (Field field : object.getClass().getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
        try {
          field.setAccessible(true);
          add(field.get(object));
        } catch (IllegalAccessException impossible) {
          throw new AssertionError(impossible);
        }
      }
    }
  }

  private void add(@Nullable Object object) {
    if (object != null && seen.add(object)) {
      next.add(object);
    }
  }
}
