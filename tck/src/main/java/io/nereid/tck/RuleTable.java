package io.nereid.tck;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A test of the lines of a table, each of which begins with the rule of the {@link RuleCatalog}
 * that it verifies. The other columns are the arguments of the test.
 *
 * <pre>{@code
 * @RuleTable(
 *     """
 *     # a line that begins so is a comment
 *     HTTP-BINARY-14 | 64 | 60 | unexpected size for input 'INPUT1'...
 *     HTTP-BINARY-25 | ``      | `blanks around an argument, or none, are between backticks `
 *     """)
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ParameterizedTest
@ArgumentsSource(RuleTableArguments.class)
public @interface RuleTable {
  /** The lines, whose columns are separated by {@code |}. */
  String value();
}
