"""Reports: a fit as one HTML file that opens anywhere, with no network, no library and no extra installed."""

from mindgap.report.page import Part, write_report

__all__ = ["Part", "write_report"]
