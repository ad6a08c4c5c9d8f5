"""Transforms from records to figures: DataFrame in, DataFrame out, nothing collected. Times are epoch milliseconds."""
