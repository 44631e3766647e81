// Replace the content of an element. Details that were open stay open, and the focus stays in its place.
const FOCUSABLE = "a, button, input, select, summary, textarea, [tabindex]";

export function redraw(place, content) {
    const open = [...place.querySelectorAll("details")].map((details) => details.open);
    const focused = [...place.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
    place.replaceChildren(...content);
    place.querySelectorAll("details").forEach((details, number) => { details.open ||= Boolean(open[number]); });
    place.querySelectorAll("[data-copy]").forEach((button) => { button.hidden = false; });
    place.querySelectorAll(FOCUSABLE)[focused]?.focus({ preventScroll: true });
    document.dispatchEvent(new Event("redrawn"));
}

// Keep what is shown, and say that it is not the newest.
export function say_failed(place) {
    if (place.querySelector("[data-failed]")) {
        return;
    }
    const note = document.createElement("p");
    note.className = "sb-note sb-note-error";
    note.dataset.failed = "";
    note.textContent = "This could not be updated. Check the connection, or reload the page.";
    place.prepend(note);
}
