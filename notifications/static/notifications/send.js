// Check without leaving the page, so that a chosen file stays chosen. While a person types, show the message so far.
import { redraw, say_failed } from "../config/redraw.js";
import { released } from "../config/released.js";

document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("[data-send]");
    if (!form) return;
    let timer;
    let running = 0;
    let is_plain = false;

    // The theme would write the file's name into a text field, which it looks for and this form has not.
    for (const input of form.querySelectorAll("input[type=file]")) input.hasChangeListener = true;

    form.addEventListener("submit", async (event) => {
        if (is_plain || !["check", "dry_run"].includes(event.submitter?.name)) return;
        event.preventDefault();
        clearTimeout(timer);
        const mine = ++running; // a draft that arrives later is not shown
        const typed = new FormData(form, event.submitter);
        const page = await ask(typed);
        if (mine !== running) return; // the person has typed meanwhile
        if (page) {
            put(page);
        } else if (page === null) {
            is_plain = true;
            form.requestSubmit(event.submitter); // a page that is not ours: the browser shows it
        } else {
            say_failed(form.querySelector("[data-result]"));
            form.querySelector("[data-failed]").scrollIntoView({ block: "nearest" });
        }
    });

    form.addEventListener("input", (event) => {
        if (event.target.closest("[data-result]")) return;
        form.querySelector("[data-send-button]")?.remove();
        clearTimeout(timer);
        running++;
        timer = setTimeout(draft, 300);
    });

    async function draft() {
        const mine = ++running;
        const typed = new FormData(form);
        for (const [name, value] of [...typed]) if (value instanceof File) typed.delete(name);
        typed.set("draft", "yes");
        const answer = await fetch(location.pathname, { method: "POST", body: typed }).catch(() => null);
        const html = answer?.ok && !answer.redirected && (await answer.text());
        await released;
        if (!html || mine !== running) return; // Check message will say what is wrong
        const pane = form.querySelector("[data-result]");
        pane.removeAttribute("aria-live"); // else each pause in typing would be read out
        redraw(pane, new DOMParser().parseFromString(html, "text/html").body.childNodes);
    }

    // Return the form of the answer, null for a page without it, or nothing if there is no connection.
    async function ask(typed) {
        try {
            const answer = await fetch(location.pathname, { method: "POST", body: typed });
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            await released;
            return page.querySelector("[data-send]");
        } catch {
            return undefined;
        }
    }

    function put(fresh) {
        for (const place of form.querySelectorAll("[data-errors], [data-result]")) {
            const name = place.dataset.errors;
            const other = fresh.querySelector(name === undefined ? "[data-result]" : `[data-errors="${CSS.escape(name)}"]`);
            if (other) place.replaceWith(other);
        }
        form.querySelector("[data-without-scripts]")?.remove();
        for (const place of form.querySelectorAll("[data-errors][id]")) {
            const field = document.getElementById(place.id.replace(/_error$/, ""));
            if (place.children.length) {
                field?.setAttribute("aria-invalid", "true");
                field?.setAttribute("aria-describedby", place.id);
            } else {
                field?.removeAttribute("aria-invalid");
                field?.removeAttribute("aria-describedby");
            }
        }
        const seen = form.querySelector(".sb-note-error") ?? form.querySelector("[data-result]");
        seen?.scrollIntoView({ block: "nearest" });
        form.querySelector("[aria-invalid=true]")?.focus();
    }
});
