"""Dashboards: pages of tiles. Source: docs/reference/dashboards.md."""
