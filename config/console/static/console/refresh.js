// Sections that refresh themselves: <section id="…" data-refresh="2"> is replaced every 2 seconds by the same section of
// a newly loaded page, or of the page at data-from. Without scripts the page reloads itself or the user reloads it.
import { released } from "../config/released.js";

document.addEventListener("DOMContentLoaded", () => {
    for (const section of document.querySelectorAll("[data-refresh]")) {
        wait(section);
    }
});

function wait(section) {
    if (section.dataset.refresh) {
        setTimeout(() => refresh(section), section.dataset.refresh * 1000);
    }
}

async function refresh(section) {
    if (document.hidden || section.contains(document.activeElement)) {
        wait(section); // the page is not visible, or the user is using this section
        return;
    }
    try {
        // With this header the request does not extend the session.
        const answer = await fetch(section.dataset.from || location.href, { headers: { "X-Requested-With": "fetch" } });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(section.id);
        await released;
        if (answer.ok && fresh) {
            if (fresh.outerHTML === section.outerHTML || section.contains(document.activeElement)) {
                wait(section); // screen readers would announce an equal section again
            } else {
                section.replaceWith(fresh);
                document.dispatchEvent(new Event("redrawn"));
                wait(fresh);
            }
        } else {
            wait(section); // the server may be unavailable for a moment
        }
    } catch {
        wait(section);
    }
}
