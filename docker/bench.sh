#!/bin/sh
# Compares strategies on the cluster of docker-compose.yml; an interrupted bench goes on when it is started again.
set -eu

folder="/opt/flink/data/bench/${BENCH_NAME}"
# shellcheck disable=SC2086 # names of workloads are words
pyctl bench run ${BENCH_WORKLOADS} --strategies "${BENCH_STRATEGIES}" --repeat "${BENCH_REPEAT}" \
    ${BENCH_QUICK:+--quick} --jobmanager "${PYCTL_JOBMANAGER}" --kafka "${BENCH_KAFKA}" \
    --job-jar /opt/drrs/drrs-nexmark-kafka.jar --out "${folder}"
pyctl bench report "${folder}"
