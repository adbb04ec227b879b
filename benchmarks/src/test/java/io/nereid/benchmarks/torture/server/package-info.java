@NullMarked
package io.nereid.benchmarks.torture.server;

import org.jspecify.annotations.NullMarked;
