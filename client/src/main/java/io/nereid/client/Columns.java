package io.nereid.client;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tables of records: a record is a row, and each of its components is a column, which is an input
 * or an output of that name. Immutable.
 *
 * <pre>{@code
 * record Customer(float age, long visits, String country) {}
 * record Score(float probability) {}
 *
 * var request = InferRequest.to("churn").inputs(Columns.of(Customer.class).tensors(customers));
 * List<Score> scores =
 *     Columns.of(Score.class).rows(client.infer(request.build()).outputs());
 * }</pre>
 *
 * <p>A component is a {@code float} (FP32), {@code double} (FP64), {@code int}, {@code long},
 * {@code short}, {@code byte} (INT32 and so on), {@code boolean} (BOOL), {@code String} (BYTES), or
 * an array of these.
 */
public final class Columns<R extends Record> {
  private final RecordComponent[] components;
  private final Constructor<R> constructor;

  private Columns(RecordComponent[] components, Constructor<R> constructor) {
    this.components = components;
    this.constructor = constructor;
  }

  /**
   * The columns of a record.
   *
   * @throws IllegalArgumentException if a component is of no type of tensors, or if the record is
   *     in a package that its module does not open to {@code io.nereid.client}
   */
  public static <R extends Record> Columns<R> of(Class<R> type) {
    RecordComponent[] components = type.getRecordComponents();
    for (RecordComponent each : components) {
      if (!Rows.isElement(elementType(each))) {
        throw new IllegalArgumentException(
            "the component '%s' of %s is %s, which is of no type of tensors"
                .formatted(each.getName(), type.getName(), each.getType().getSimpleName()));
      }
    }
    try {
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      Constructor<R> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      for (RecordComponent each : components) {
        each.getAccessor().setAccessible(true);
      }
      return new Columns<>(components, constructor);
    } catch (NoSuchMethodException e) {
      throw new AssertionError("each record has it", e);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "%s cannot be read: does its module open the package to io.nereid.client?"
              .formatted(type.getName()),
          e);
    }
  }

  private static Class<?> elementType(RecordComponent component) {
    Class<?> type = component.getType();
    return type.isArray() ? type.getComponentType() : Rows.elementType(type);
  }

  /**
   * The tensors of some rows, by the names of the components: of shape {@code [rows, 1]}, or {@code
   * [rows, n]} for arrays of n elements.
   *
   * @throws IllegalArgumentException if there are no rows, or if a value is null or an array of
   *     another length than that of the first row
   */
  public Map<String, Tensor> tensors(List<R> rows) {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    for (RecordComponent component : components) {
      List<Object> column = new ArrayList<>(rows.size());
      for (R row : rows) {
        Object value = value(component, row);
        column.add(component.getType().isArray() ? value : Arrays.asList(value));
      }
      try {
        tensors.put(component.getName(), Rows.tensor(null, column));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "column '%s': %s".formatted(component.getName(), e.getMessage()), e);
      }
    }
    return tensors;
  }

  private static Object value(RecordComponent component, Record row) {
    try {
      return component.getAccessor().invoke(row);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          "the component '%s' of %s cannot be read".formatted(component.getName(), row), e);
    }
  }

  /**
   * The rows that tensors have: their first dimension counts them.
   *
   * @param tensors with one for each component, such as {@link InferResponse#outputs}
   * @throws IllegalArgumentException if one is missing or has another number of rows
   * @throws IllegalStateException if one has another data type
   */
  public List<R> rows(Map<String, Tensor> tensors) {
    Object[] columns = new Object[components.length];
    long count = -1;
    for (int i = 0; i < columns.length; i++) {
      String name = components[i].getName();
      Tensor tensor = tensors.get(name);
      if (tensor == null) {
        throw new IllegalArgumentException(
            "there is no tensor '%s', but %s".formatted(name, tensors.keySet()));
      }
      long[] shape = tensor.shape();
      long rows = shape.length == 0 ? -1 : shape[0];
      boolean isColumn =
          components[i].getType().isArray()
              ? tensor.elementCount() >= rows
              : tensor.elementCount() == rows;
      if (rows < 0 || !isColumn || (count >= 0 && rows != count)) {
        throw new IllegalArgumentException(
            "the tensor '%s' is %s, which is no column%s"
                .formatted(name, tensor, count < 0 ? "" : " of %d rows".formatted(count)));
      }
      count = rows;
      columns[i] = Rows.values(tensor, elementType(components[i]));
    }
    List<R> read = new ArrayList<>();
    for (int row = 0; row < count; row++) {
      read.add(row(columns, row, (int) count));
    }
    return read;
  }

  private R row(Object[] columns, int row, int rows) {
    Object[] values = new Object[columns.length];
    for (int i = 0; i < values.length; i++) {
      if (components[i].getType().isArray()) {
        int length = Array.getLength(columns[i]) / rows;
        Object part = Array.newInstance(elementType(components[i]), length);
        System.arraycopy(columns[i], row * length, part, 0, length);
        values[i] = part;
      } else {
        values[i] = Array.get(columns[i], row);
      }
    }
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(
          "row %d is not taken by %s".formatted(row, constructor), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(constructor + " cannot be called", e);
    }
  }
}
