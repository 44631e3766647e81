"""Import files into data sets: settings, reading, questions, and the job that stores the rows."""
