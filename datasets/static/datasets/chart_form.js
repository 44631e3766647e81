// Draws the chart at each change of its form. Without this script, the form has a button.

document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("form[data-redraws]");
    let newest = 0;
    form.querySelector("[type=submit]").closest("p").hidden = true; // Enter still sends the form
    form.addEventListener("change", async () => {
        const own = ++newest;
        const url = `?${new URLSearchParams(new FormData(form))}`;
        try {
            const answer = await fetch(url);
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            if (own !== newest) {
                return;
            }
            if (answer.redirected || [document, page].some((one) => one.querySelector("[role=alert]"))) {
                location.assign(url); // to sign in, or to show errors at their fields
                return;
            }
            const open = [...document.querySelectorAll("#drawn details")].map((details) => details.open);
            for (const id of ["finding", "drawn"]) {
                document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
            }
            document.querySelectorAll("#drawn [data-copy]").forEach((button) => { button.hidden = false; });
            document.querySelectorAll("#drawn details").forEach((details, number) => { details.open = open[number]; });
            history.replaceState(null, "", url);
            document.dispatchEvent(new Event("redrawn"));
        } catch {
            // The connection is lost: the last chart stays.
        }
    });
});
