"""The XML of spreadsheets, read a row at a time. Each area decides what the value of a cell is."""
