@NullMarked
package io.nereid.benchmarks.load.transport;

import org.jspecify.annotations.NullMarked;
