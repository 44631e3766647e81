"""List and run saved queries."""

from typing import Annotated

import typer

from signalbox.commands.running import client, show, show_rows, state

app = typer.Typer(name="queries", help="List and run saved queries.", no_args_is_help=True)


@app.command("list")
def list_() -> None:
    """List the saved queries that your token may read. Example: signalbox queries list

    For a token of a saved query this query, for a token of a data set the public queries of the data set.
    """
    with client() as signalbox:
        found = signalbox.get_saved_queries()["data"]
    show_rows(found, ("id", "data_set", "name", "unit"), nothing="Your token may read no saved query.")


@app.command()
def run(query_id: Annotated[str, typer.Argument(metavar="QUERY", help="The id of the saved query.")]) -> None:
    """Show the rows of a saved query. Example: signalbox queries run demoVisitsWeekly

    A public query needs no token, any other one its own. With --json it prints the whole answer, with name and unit.
    """
    with client() as signalbox:
        answer = signalbox.run_saved_query(query_id)
    if state.is_json:
        show(answer)
        return
    columns = list(dict.fromkeys(name for row in answer["data"] for name in row))
    show_rows(answer["data"], columns, nothing="The query has no rows.")
