# Two commands matter: `make demo` and `make test`. Each sets up what it needs: a Python environment in .venv/ and the jars.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MVN := mvn -q -B --no-transfer-progress
# A build is over before the compiler's best code pays: a third of the CPU time.
export MAVEN_OPTS ?= -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
PLUGIN := flink-plugin/dist/target/drrs-flink-plugin.jar
JOBS := jobs/nexmark/target/drrs-nexmark.jar
TESTED := build/tested
KAFKA_JOBS := jobs/nexmark/target/drrs-nexmark-kafka.jar
KAFKA_BROKER := jobs/kafka-broker/target/libs/.ready

PLUGIN_SOURCES := $(shell find flink-plugin -name '*.java' -path '*/main/*' -o -name pom.xml -path 'flink-plugin/*')
JOBS_SOURCES := flink-plugin/pom.xml $(shell find jobs/nexmark -name '*.java' -path '*/main/*' -o -name pom.xml -path 'jobs/nexmark/*')

.PHONY: demo test test-java test-units test-its test-python same-events test-e2e test-storm test-all lint lint-python format setup jars tested wheel docs support-matrix bench bench-quick bench-scaling results compare compare-quick soak chaos storm fuzz simulate clean bench-drrs kafka test-kafka

PAIRS ?= 1

# PAIRS=5 and more: both runs in turn as often, with ratios in the end; about three minutes a pair.
demo: setup jars
	$(BIN)/python -m drrs_jobs.demo --build-dir build/demo --pairs $(PAIRS)

# Three at a time on two cores: what is on a cluster waits more than it computes, and so does the set-up. MiniCluster tests
# come when all that is over, in two JVMs that then have a core each: beside a dozen JVMs of clusters they starve.
test:
	{ $(MAKE) --no-print-directory -j3 TESTED_FIRST=1 test-e2e test-units lint-python test-python \
		&& $(MAKE) --no-print-directory tested \
		&& $(MAKE) --no-print-directory -j2 test-its test-storm; } \
		|| { PYTHONPATH=tests/support $(BIN)/python -m harness.java_failures; exit 1; }

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyctl/pyproject.toml jobs/pipeline/pyproject.toml flink-plugin/pom.xml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps -e pyctl -e jobs/pipeline
	touch $@

jars: $(PLUGIN) $(JOBS)

tested: $(TESTED)/.ready

$(PLUGIN): $(PLUGIN_SOURCES)
	$(MVN) -f flink-plugin/pom.xml package -DskipTests
	touch $@

# Not beside the other: two Mavens would fill one repository.
$(JOBS): $(JOBS_SOURCES) | $(PLUGIN)
	$(MVN) -f jobs/nexmark/pom.xml package -DskipTests
	touch $@

# The jobs with Flink's connector for Kafka, and a broker: only what reads from a topic needs them.
kafka: $(KAFKA_JOBS) $(KAFKA_BROKER)

$(KAFKA_JOBS): $(JOBS_SOURCES) | $(JOBS)
	$(MVN) -f jobs/nexmark/pom.xml package -DskipTests -Pkafka
	touch $@

$(KAFKA_BROKER): jobs/kafka-broker/pom.xml
	$(MVN) -f jobs/kafka-broker/pom.xml package
	touch $@

# What tests on a cluster run, as copies: test-java makes the jars again beside them, and a JVM crashes if one of its jars changes.
$(TESTED)/.ready: $(VENV)/.ready $(PLUGIN) $(JOBS) $(shell find tests/gateway/java -name '*.java')
	rm -rf $(TESTED)
	mkdir -p $(TESTED)
	cp $(PLUGIN) $(JOBS) flink-plugin/api/target/drrs-api-*.jar $(TESTED)
	PYTHONPATH=tests/support $(BIN)/python -m harness.gateway_classes
	touch $@

# pyctl with the plug-in's jar in it, in build/wheel: for machines that have neither this checkout nor Maven.
wheel: setup $(PLUGIN)
	DRRS_PLUGIN_JAR=$(abspath $(PLUGIN)) $(BIN)/python -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w build/wheel ./pyctl

# Of the plug-in and the jobs.
test-java:
	$(MAKE) --no-print-directory test-units
	$(MAKE) --no-print-directory test-its

# Format, unit and protocol-simulation tests.
test-units: $(if $(TESTED_FIRST),tested)
	$(MVN) -f jobs/nexmark/pom.xml spotless:check verify
	$(MVN) -f flink-plugin/pom.xml spotless:check verify -DskipITs

# On a MiniCluster, under the agent.
test-its:
	$(MVN) -f flink-plugin/pom.xml verify -pl dist -am -Dskip.units

test-python: setup tested
	cd pyctl && ../$(BIN)/python -m pytest -q -m "not cluster"
	cd jobs/pipeline && ../../$(BIN)/python -m pytest -q

# A million events of the job's generator beside what Spark writes of them; `make test` has fewer.
same-events: setup tested
	cd jobs/pipeline && SAME_EVENTS=1000000 ../../$(BIN)/python -m pytest -q tests/test_same_events.py

WORKERS ?= 3

# On a real cluster of several processes; three at a time, as most of them wait most of the time. WORKERS=0: one after the other.
test-e2e: setup tested
	$(BIN)/python -m pytest -q tests --durations=40 -n $(WORKERS) --dist loadscope --no-loadscope-reorder

# Jobs that read from a Kafka broker, which is started for it; not in `make test`: four minutes.
test-kafka: setup tested kafka
	$(BIN)/python -m pytest -q tests/e2e/test_kafka.py -m ""

# The short form of `make storm`; with a copy of the plug-in, as test-its makes the jar again beside it.
test-storm: setup tested
	DRRS_PLUGIN_JAR=$(TESTED)/$(notdir $(PLUGIN)) $(BIN)/python -m drrs_jobs.storm --build-dir build/storm --seconds 30

# With the whole matrix and many drawn cases: about two and a half hours.
test-all: lint test-java test-python setup tested kafka
	$(BIN)/python -m pytest -q tests -m ""

lint: lint-python
	$(MVN) -f flink-plugin/pom.xml spotless:check
	$(MVN) -f jobs/nexmark/pom.xml spotless:check

lint-python: setup
	$(BIN)/ruff check pyctl jobs/pipeline tests
	$(BIN)/ruff format --check pyctl jobs/pipeline tests
	cd pyctl && ../$(BIN)/mypy
	cd jobs/pipeline && ../../$(BIN)/mypy
	cd tests && ../$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix -q pyctl jobs/pipeline tests
	$(BIN)/ruff format -q pyctl jobs/pipeline tests
	$(MVN) -f flink-plugin/pom.xml spotless:apply
	$(MVN) -f jobs/nexmark/pom.xml spotless:apply

# Tables and example answers that are made from the code.
docs: support-matrix
	$(MVN) -f flink-plugin/pom.xml test -pl runtime -am -Dtest=OptionsDocTest,OperatorsDocTest,AnswersTest,JournalDocumentTest -Ddrrs.write-docs -Dsurefire.failIfNoSpecifiedTests=false
	$(MVN) -f jobs/nexmark/pom.xml test -Dtest=ArgumentsTest -Ddrrs.write-docs

# What the tests cover.
support-matrix: setup
	PYTHONPATH=tests/support $(BIN)/python -m harness.support_matrix

# Idle cost and state throughput; leave the machine alone meanwhile. Goes on after a miss, fails at the end.
bench: setup jars
	mkdir -p build/bench
	@failed=0; \
	$(MVN) -f flink-plugin/pom.xml verify -pl benchmarks -am -DskipTests -Pbench || failed=1; \
	$(BIN)/python -m drrs_jobs.bench.overhead --build-dir build/bench || failed=1; \
	$(BIN)/python -m drrs_jobs.bench.transfer --build-dir build/bench || failed=1; \
	exit $$failed

WORKLOAD ?= demo
STRATEGIES ?= drrs,megaphone,otfs,restart
REPEAT ?= 5
COMPARED ?= build/compare

# Strategies on a workload in turn, A B C then B C A; what was recorded stays, so it goes on where it was interrupted.
compare: setup jars
	$(BIN)/pyctl bench run $(WORKLOAD) --strategies "$(STRATEGIES)" --repeat $(REPEAT) --out $(COMPARED)
	$(BIN)/pyctl bench report $(COMPARED)

# In short form, two rounds: about twelve minutes for four strategies on two cores.
compare-quick: setup jars
	rm -rf build/compare-quick
	$(BIN)/pyctl bench run $(WORKLOAD) --quick --strategies "$(STRATEGIES)" --repeat 2 --out build/compare-quick
	$(BIN)/pyctl bench report build/compare-quick

# Three workloads in short form, one round of each strategy, on one cluster a workload. Not of `adaptive`: its scheduler
# is another one, so that each workload would need a second cluster and a second run that is not recorded.
bench-quick: STRATEGIES = drrs,meces,megaphone,lazy,remote,otfs,reference,restart
bench-quick: setup jars
	rm -rf build/bench-quick
	$(BIN)/pyctl bench run demo q7-drrs twitch --quick --keep-clusters --strategies "$(STRATEGIES)" --out build/bench-quick
	$(BIN)/pyctl bench report build/bench-quick

# DRRS's four workloads in short form, three rounds of four strategies; goes on where it was interrupted. Leave the machine alone.
bench-drrs: STRATEGIES = drrs,meces,megaphone,restart
bench-drrs: REPEAT = 3
bench-drrs: setup jars
	$(BIN)/pyctl bench run q7-drrs q8-drrs twitch synthetic --quick --keep-clusters --strategies "$(STRATEGIES)" --repeat $(REPEAT) --out build/bench-drrs
	$(BIN)/pyctl bench report build/bench-drrs

BENCH ?= $(COMPARED)

# What of a finished bench is committed: tables, figures and facts, into docs/results/NAME.
results: setup
	$(BIN)/python -m drrs_jobs.runner.results $(BENCH) $(NAME)

VARY ?=

# What a rescale costs with more state, key groups, subscales, subtasks, load or skew, and with lazy what state costs that
# no record needs (VARY=lazy); about two minutes a point, 20 points.
bench-scaling: setup jars
	$(BIN)/python -m drrs_jobs.bench.scaling --build-dir build/bench $(if $(VARY),--only $(VARY))

RESCALES ?= 100

# Many rescales of one running job, out and in: exact, and nothing left over.
soak: setup jars
	$(BIN)/python -m drrs_jobs.soak --build-dir build/soak --rescales $(RESCALES)

RUNS ?= 200
SEED ?= 1
ONLY ?=

# Faults in rescales on a real cluster: any process may die, any link be cut, any request be withdrawn. ONLY=n repeats run n.
chaos: setup tested
	PYTHONPATH=tests/support $(BIN)/python -m chaos --build-dir build/chaos --runs $(RUNS) --seed $(SEED) $(if $(ONLY),--only $(ONLY))

STORM_SECONDS ?= 600

# A request every two seconds for ten minutes.
storm: setup jars
	$(BIN)/python -m drrs_jobs.storm --build-dir build/storm --seconds $(STORM_SECONDS) --seed $(SEED)

SECONDS ?= 600

# Jobs of any shape, rescaled in any way, against stock Flink. ONLY='{..}', as printed, or a file's name repeats a shape, TIMES=n so often.
fuzz: setup tested
	PYTHONPATH=tests/support $(BIN)/python -m shapes --build-dir build/fuzz --seconds $(SECONDS) --seed $(SEED) $(if $(ONLY),--only '$(ONLY)') $(if $(TIMES),--times $(TIMES))

SCHEDULES ?= 1000000

# The protocol under a seeded scheduler, the long form.
simulate:
	$(MVN) -f flink-plugin/pom.xml test -pl protocol -Dtest=SimulationTest -Ddrrs.simulation.schedules=$(SCHEDULES) -Ddrrs.simulation.seed=$(SEED)

clean:
	rm -rf build $(VENV) flink-plugin/target flink-plugin/*/target jobs/nexmark/target jobs/kafka-broker/target
