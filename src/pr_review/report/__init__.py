"""report: what a run tells beside the review: summary, outputs, JSON, log."""

from pr_review.report.json_report import dump, report_object, schema
from pr_review.report.log import lines
from pr_review.report.outputs import outputs
from pr_review.report.snapshot_json import snapshot_object
from pr_review.report.summary import summary

__all__ = ["dump", "lines", "outputs", "report_object", "schema", "snapshot_object", "summary"]
