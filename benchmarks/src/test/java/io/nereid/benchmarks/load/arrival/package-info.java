@NullMarked
package io.nereid.benchmarks.load.arrival;

import org.jspecify.annotations.NullMarked;
