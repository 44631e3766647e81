// Draws the chart at each change of its form. Without this script, the form has a button.
import { released } from "../config/released.js";
import { redraw, say_failed } from "../config/redraw.js";

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
            await released;
            if (own !== newest) {
                return;
            }
            if (answer.redirected || [document, page].some((one) => one.querySelector("[role=alert]"))) {
                location.assign(url); // to sign in, or to show errors at their fields
                return;
            }
            for (const id of ["finding", "drawn"]) {
                redraw(document.getElementById(id), page.getElementById(id).childNodes);
            }
            history.replaceState(null, "", url);
        } catch {
            if (own === newest) {
                say_failed(document.getElementById("drawn"));
            }
        }
    });
});
