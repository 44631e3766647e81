"""Draw charts as SVG and PNG on the server, without scripts or other hosts. Source: docs/reference/charts.md."""
