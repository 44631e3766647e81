"""Run saved queries."""

from typing import Annotated

import typer

from signalbox.commands.running import client, show, show_rows, state

app = typer.Typer(name="queries", help="Run saved queries.", no_args_is_help=True)


@app.command()
def run(query_id: Annotated[str, typer.Argument(metavar="QUERY", help="The id of the saved query.")]) -> None:
    """Show the rows of a saved query. Example: signalbox queries run demoVisitsWeekly

    The token is that of the query or of its data set. With --json it prints the whole answer, with name and unit.
    """
    with client() as signalbox:
        answer = signalbox.run_saved_query(query_id)
    if state.is_json:
        show(answer)
        return
    columns = list(dict.fromkeys(name for row in answer["data"] for name in row))
    show_rows(answer["data"], columns, nothing="The query has no rows.")
