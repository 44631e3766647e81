// Keep the message's page up to date until nothing more will happen; without scripts there is a link to reload.

document.addEventListener("DOMContentLoaded", () => {
    const every = 2000;
    const wait = () => setTimeout(refresh, every);

    async function refresh() {
        const shown = document.getElementById("progress");
        if (!shown || !("refresh" in shown.dataset)) return;
        if (document.hidden) return void wait();
        try {
            const answer = await fetch(location.href, { headers: { "X-Requested-With": "fetch" } });
            if (!answer.ok || answer.redirected) return; // signed out, or gone: a reload says what is the matter
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            const fresh = page.getElementById("progress");
            if (fresh && fresh.innerHTML !== shown.innerHTML) shown.replaceWith(fresh);
        } catch {
            // The server is away for a moment.
        }
        wait();
    }

    if (document.querySelector("[data-refresh]")) wait();
});
