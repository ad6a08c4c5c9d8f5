package dev.drrs.runtime.rest;

import org.apache.flink.runtime.metrics.dump.MetricDump;
import org.apache.flink.runtime.metrics.dump.QueryScopeInfo;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricStore;

/** The metrics of TaskManagers as if they had been fetched. */
final class FakeMetrics implements MetricFetcher {

    private final MetricStore store = new MetricStore();

    FakeMetrics reportOf(String taskManager, String scope, String name, String value) {
        store.add(
                new MetricDump.GaugeDump(
                        new QueryScopeInfo.TaskManagerQueryScopeInfo(taskManager, scope),
                        name,
                        value));
        return this;
    }

    @Override
    public MetricStore getMetricStore() {
        return store;
    }

    @Override
    public void update() {}

    @Override
    public long getLastUpdateTime() {
        return 0;
    }
}
