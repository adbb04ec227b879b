@NullMarked
package io.nereid.benchmarks.torture;

import org.jspecify.annotations.NullMarked;
