/**
 * What an attack is: a class that is handed a server and a scale, and tells what the server did. It
 * knows nothing of the good requests beside it, nor of what is measured. The packages below have
 * the attacks, by what they attack.
 */
@NullMarked
package io.nereid.benchmarks.torture.attack;

import org.jspecify.annotations.NullMarked;
