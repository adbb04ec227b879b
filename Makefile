# The habits of those who work on this code base; ./nereid is all that others need.
SHELL := bash
mvnw := . server-nima/src/main/dist/bin/jdk25.sh && use_jdk javac && ./mvnw -B -ntp

.PHONY: verify format tck bench run

verify:
	./nereid test

format:
	$(mvnw) -q spotless:apply

tck:
	$(mvnw) test -pl tck -am

bench:
	benchmarks/run jmh

run:
	./nereid serve --model-repository examples/models
