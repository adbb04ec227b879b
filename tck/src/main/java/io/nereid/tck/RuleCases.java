package io.nereid.tck;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * A test that verifies rules of the {@link RuleCatalog}, once for each case of its source, which is
 * an annotation of JUnit.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ParameterizedTest
public @interface RuleCases {
  /** Ids such as {@code HTTP-INFER-07}. */
  String[] value();
}
