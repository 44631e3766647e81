// Replace the content of an element. Details that were open stay open.
export function redraw(place, content) {
    const open = [...place.querySelectorAll("details")].map((details) => details.open);
    place.replaceChildren(...content);
    place.querySelectorAll("details").forEach((details, number) => { details.open ||= Boolean(open[number]); });
    place.querySelectorAll("[data-copy]").forEach((button) => { button.hidden = false; });
}
