/**
 * The engine and the client as beans of Spring Boot 3.5 and 4. Each part applies if its library is
 * on the class path; nothing of JDK 25 is loaded for the client alone. Knows the engine, the server
 * and the client by what programs use of them. {@link
 * io.nereid.spring.NereidEngineAutoConfiguration} is read first.
 */
@NullMarked
package io.nereid.spring;

import org.jspecify.annotations.NullMarked;
