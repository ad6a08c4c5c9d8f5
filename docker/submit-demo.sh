#!/usr/bin/env bash
# Submits the demo job, unless it runs already.
set -euo pipefail

name=nexmark-count
running=$(flink list --running)
if grep -q ": ${name} (" <<<"${running}"; then
    echo "${name} is running already"
    exit 0
fi

exec flink run --detached -Ddrrs.enabled=true --class dev.drrs.nexmark.NexmarkJob /opt/flink/jobs/drrs-nexmark.jar \
    --name "${name}" \
    --query count \
    --parallelism 2 \
    --rate 2000 \
    --preload-keys 20000 \
    --ballast-bytes 1000 \
    --output /opt/flink/data/output
