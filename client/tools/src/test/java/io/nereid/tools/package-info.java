@NullMarked
package io.nereid.tools;

import org.jspecify.annotations.NullMarked;
