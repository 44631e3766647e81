// The inbox refreshes itself while somebody looks at it.

document.addEventListener("DOMContentLoaded", () => {
    const place = document.querySelector("[data-refresh]");
    if (!place) return;
    setInterval(async () => {
        if (document.hidden) return;
        try {
            const answer = await fetch(place.dataset.refresh, {
                headers: { "X-Requested-With": "fetch" },
                credentials: "same-origin",
            });
            if (!answer.ok || answer.redirected) return;
            show(await answer.text());
        } catch {
            // the server is not there for a moment; the next turn asks again
        }
    }, 2000);

    function show(html) {
        const isFirst = "reload" in place.dataset;
        if (isFirst && html.includes("nf-row")) {
            location.reload(); // the empty page has neither search nor list to put rows into
        } else if (!isFirst && html.trim() !== place.dataset.shown && !place.contains(document.activeElement)) {
            place.dataset.shown = html.trim();
            const fresh = new DOMParser().parseFromString(html, "text/html").body;
            place.replaceChildren(...fresh.childNodes);
        }
    }
});
