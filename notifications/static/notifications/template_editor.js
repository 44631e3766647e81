// The live preview: 300 ms after the last key stroke, what is typed is rendered by the server that would send it.
import { redraw } from "../config/redraw.js";
import { released } from "../config/released.js";

document.addEventListener("DOMContentLoaded", () => {
    const pane = document.querySelector("[data-preview]");
    if (!pane) return;
    const form = pane.closest("form");
    document.querySelector("[data-preview-button]").hidden = true;
    let timer;
    let running = 0;

    form.addEventListener("input", (event) => {
        if (event.target.name === "width") return; // the width of the frame is nothing to ask the server for
        clearTimeout(timer);
        timer = setTimeout(show, 300);
    });
    show();

    async function show() {
        const mine = ++running;
        const answer = await fetch(pane.dataset.preview, {
            method: "POST",
            body: new FormData(form),
            headers: { "X-Requested-With": "fetch" },
            credentials: "same-origin",
        }).catch(() => null);
        const html = answer && (await answer.text());
        await released;
        if (mine !== running) return; // a later key stroke has asked again
        if (!answer?.ok || answer.redirected) {
            say("The preview could not be made. Save, or reload this page.");
            return;
        }
        put(html);
    }

    function say(words) {
        const note = document.createElement("p");
        note.className = "sb-note sb-note-error";
        note.textContent = words;
        pane.querySelector(".nf-preview").replaceChildren(note); // what was typed as samples stays
    }

    function put(html) {
        const fresh = new DOMParser().parseFromString(html, "text/html");
        for (const part of fresh.querySelectorAll("[data-part]")) {
            const shown = form.querySelector(`[data-part="${part.dataset.part}"]`);
            // With the same names the sample fields stay, and with them the caret.
            if (!shown || (part.dataset.names && part.dataset.names === shown.dataset.names)) continue;
            Object.assign(shown.dataset, part.dataset);
            redraw(shown, part.childNodes);
        }
    }
});
