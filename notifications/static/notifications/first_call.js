// Turns "Waiting for your first call…" into its result when it comes. Without scripts the link below it does.

document.addEventListener("DOMContentLoaded", () => {
    for (const card of document.querySelectorAll("[data-waits-at]")) {
        wait(card);
    }
});

async function wait(card) {
    if (!document.hidden) {
        try {
            const answer = await fetch(card.dataset.waitsAt, { headers: { Accept: "application/json" } });
            const { is_used, client, result } = await answer.json();
            if (is_used) {
                const by = client ? ` by ${client}` : "";
                card.querySelector("[data-waiting]").textContent = `The first call has come${by}. ${result ? `Message: ${result}.` : ""}`;
                if (result && result !== "Delivering") {
                    return;
                }
            }
        } catch {
            // signed out, or the service is away: the link below it still works
        }
    }
    setTimeout(() => wait(card), 2000);
}
