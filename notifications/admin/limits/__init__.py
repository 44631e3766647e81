"""The page *Limits*: how much of each limit of a service is used. Source: docs/reference/console.md §3.9."""
