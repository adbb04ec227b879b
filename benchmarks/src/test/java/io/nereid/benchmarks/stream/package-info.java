@NullMarked
package io.nereid.benchmarks.stream;

import org.jspecify.annotations.NullMarked;
