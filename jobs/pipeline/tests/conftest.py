"""One Spark session for all tests: starting one takes longer than the tests that use it."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from drrs_jobs.session import spark_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = spark_session("tests", small_data=True)
    yield session
    session.stop()
