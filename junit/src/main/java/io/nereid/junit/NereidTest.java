package io.nereid.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Has a server run for the tests of a class, on free ports of the loopback address. Test methods,
 * life cycle methods and constructors may have these parameters:
 *
 * <ul>
 *   <li>{@link io.nereid.client.NereidClient}: a client of the server over REST, or over gRPC if
 *       the parameter is annotated with {@link OverGrpc}; closed with the server
 *   <li>{@link ServerAddresses}: where the server listens
 * </ul>
 *
 * <p>The server starts before the first test class of its configuration and stops after the last
 * test of the run: classes with the same repositories, options and distribution share it, also in
 * parallel. What it logs is shown, on standard error, if a test fails, and only then.
 *
 * <pre>{@code
 * @NereidTest(repository = "models")
 * class DigitsTest {
 *   @Test
 *   void isReady(NereidClient client) {
 *     assertTrue(client.models().isReady("digits"));
 *   }
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NereidExtension.class)
public @interface NereidTest {
  /**
   * The directories with models. Those that are relative are looked for in the working directory,
   * which with Maven and Gradle is the project's, and then on the class path, as in {@code
   * src/test/resources}.
   */
  String[] repository() default "models";

  /**
   * Options of {@code nereid serve}, such as {@code strict-readiness=false}: without the hyphens,
   * and each with its value.
   */
  String[] options() default {};

  /**
   * The folder of a distribution, whose {@code bin/nereid} is started as a process, by a JDK 25
   * that it finds. Without it the server runs in the JVM of the tests, by {@code
   * io.nereid:nereid-junit-jvm}, with the backends on the class path.
   */
  String distribution() default "";
}
