"""Read files of other people in a limited child process. These modules import neither Django nor models."""
