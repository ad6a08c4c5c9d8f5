package dev.drrs.gateway;

import static org.apache.flink.table.annotation.ArgumentTrait.SET_SEMANTIC_TABLE;

import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.functions.ProcessTableFunction;
import org.apache.flink.types.Row;

/** A process table function that passes the price of each row on. */
public final class PassingTableFunction extends ProcessTableFunction<Long> {

    /** Called by Flink for each row. */
    public void eval(@ArgumentHint(value = SET_SEMANTIC_TABLE, name = "input") Row row) {
        collect(row.getFieldAs("price"));
    }
}
