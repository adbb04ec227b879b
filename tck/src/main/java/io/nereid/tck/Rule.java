package io.nereid.tck;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The rules of the {@link RuleCatalog} that a test verifies. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Rule {
  /**
   * Ids such as {@code HTTP-INFER-07}. None for a test whose cases are the lines of a table, each
   * of which begins with the id of its rule.
   */
  String[] value() default {};
}
