package dev.drrs.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drrs.runtime.AgentState;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.CharacterFilter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.metrics.MetricRegistry;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;
import org.apache.flink.runtime.metrics.groups.TaskManagerMetricGroup;
import org.apache.flink.runtime.metrics.scope.ScopeFormats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ArmedGaugeTest {

    private final Map<String, Gauge<?>> registered = new HashMap<>();

    @AfterEach
    void disarm() {
        AgentState.notArmed("unknown", "test over");
        AgentState.loadedFrom("unknown");
    }

    @Test
    void theGaugesHaveTheNamesUnderWhichTheJobManagerLooksForThem() {
        ArmedGauge.register(taskManagerGroup());
        assertThat(registered)
                .containsOnlyKeys(
                        "tm-1/" + ArmedGauge.METRIC,
                        "tm-1/" + ArmedGauge.IDENTITY,
                        "tm-1/" + ArmedGauge.REHEARSAL);
    }

    @Test
    void theVersionIsToldWithTheBuild() {
        ArmedGauge.register(taskManagerGroup());
        AgentState.armed("0.1.0", List.of());
        AgentState.loadedFrom("abc");
        assertThat(registered.get("tm-1/" + ArmedGauge.IDENTITY).getValue()).isEqualTo("0.1.0+abc");
    }

    @Test
    void theGaugeFollowsTheAgentsState() {
        ArmedGauge.register(taskManagerGroup());
        Gauge<?> gauge = registered.get("tm-1/" + ArmedGauge.METRIC);
        AgentState.armed("0.1.0", List.of());
        assertThat(gauge.getValue()).isEqualTo(1);
        AgentState.broken("a class could not be woven");
        assertThat(gauge.getValue()).isEqualTo(0);
    }

    private TaskManagerMetricGroup taskManagerGroup() {
        InvocationHandler handler =
                (proxy, method, arguments) ->
                        switch (method.getName()) {
                            case "register" ->
                                    remember(
                                            (Gauge<?>) arguments[0],
                                            (String) arguments[1],
                                            arguments[2]);
                            case "getScopeFormats" -> ScopeFormats.fromConfig(new Configuration());
                            case "getNumberReporters" -> 0;
                            case "getDelimiter" -> '.';
                            default ->
                                    throw new UnsupportedOperationException(
                                            "not expected by this test: " + method.getName());
                        };
        MetricRegistry registry =
                (MetricRegistry)
                        Proxy.newProxyInstance(
                                MetricRegistry.class.getClassLoader(),
                                new Class<?>[] {MetricRegistry.class},
                                handler);
        return TaskManagerMetricGroup.createTaskManagerMetricGroup(
                registry, "host", new ResourceID("tm-1"));
    }

    /** Under the TaskManager and the name by which Flink's metric query service reports it. */
    private Object remember(Gauge<?> gauge, String name, Object group) {
        String scope =
                ((AbstractMetricGroup<?>) group)
                        .getQueryServiceMetricInfo(CharacterFilter.NO_OP_FILTER)
                        .scope;
        registered.put("tm-1/" + scope + "." + name, gauge);
        return null;
    }
}
