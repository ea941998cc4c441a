"""Reports: a fit as one self-contained HTML file. Needs no extra and no network."""

from mindgap.report.page import Part, write_report

__all__ = ["Part", "write_report"]
