package io.nereid.tensorrt.doubles;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A test against the doubles of libcudart and libnvinfer. Before a test the double of libcudart is
 * bound and reset; a parameter of type {@link CudartDouble} is its controls, one of type {@link
 * NvinferDouble} binds the double of libnvinfer and is its controls. After a test every counter of
 * live objects must be what it was before, and there must be no violation. Without a C compiler the
 * test is skipped.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(DoublesExtension.class)
@ResourceLock("io.nereid.tensorrt.doubles")
public @interface UsesDoubles {}
