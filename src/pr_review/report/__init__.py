"""report: job summary, outputs and the JSON report, from the same run object."""
