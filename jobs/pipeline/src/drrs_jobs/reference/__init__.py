"""What each query must put out, as plain sequential loops over the events.

Each function takes the events in any order and returns the multiset of result rows; a row is a tuple in the order of
the query's ``fields``, which are named as in the JSON records that a job writes. For a query with a ``counter`` the
rows are those with each key's last number, the table after the last update.
"""

from drrs_jobs.reference.catalog import QUERIES
from drrs_jobs.reference.model import Key, Query, Row, Rows

__all__ = ["QUERIES", "Key", "Query", "Row", "Rows"]
