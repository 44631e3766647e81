// Figures that refresh themselves while something is going on: <section id="…" data-refresh="2"> asks for its page anew
// every 2 seconds. Without scripts the page has a refresh of its own, or the person reloads it.

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
        wait(section); // nobody looks, or somebody is about to press something in it
        return;
    }
    try {
        // The header says that no person asks: this keeps no session alive.
        const answer = await fetch(location.href, { headers: { "X-Requested-With": "fetch" } });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(section.id);
        if (answer.ok && fresh) {
            section.replaceWith(fresh);
            wait(fresh);
        }
    } catch {
        wait(section); // away for a moment
    }
}
