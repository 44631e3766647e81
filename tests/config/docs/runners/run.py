"""Run programs in this process: `run.py FOLDER` prints JSON, the name of each program → what it prints."""

import contextlib
import io
import json
import runpy
import sys
from pathlib import Path

printed = {}
for path in sorted(Path(sys.argv[1]).glob("*.py")):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        runpy.run_path(str(path))
    printed[path.stem] = output.getvalue()
sys.stdout.write(json.dumps(printed))
