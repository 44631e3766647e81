// Shows the result of the form at each change. Without this script, the page shows the result that is saved.
import { released } from "../config/released.js";
import { redraw, say_failed } from "../config/redraw.js";

document.addEventListener("DOMContentLoaded", () => {
    const place = document.querySelector("[data-preview]");
    const form = document.querySelector("form#savedquery_form");
    if (!place || !form || !place.dataset.preview) return;
    const result = place.querySelector("[data-result]");
    let timer = 0;
    let number = 0;

    async function show() {
        const own = ++number;
        place.setAttribute("aria-busy", "true");
        try {
            const answer = await fetch(place.dataset.preview, { method: "POST", body: new FormData(form) });
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            await released;
            if (own !== number) return;
            if (answer.ok && !answer.redirected) redraw(result, page.body.childNodes);
            else say_failed(result);
        } catch {
            if (own === number) say_failed(result);
        } finally {
            if (own === number) place.removeAttribute("aria-busy");
        }
    }

    form.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(show, 400);
    });
    form.addEventListener("change", () => {
        clearTimeout(timer);
        timer = setTimeout(show, 50);
    });
});
