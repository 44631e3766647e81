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
            const call = await answer.json();
            if (call.is_used) {
                show(card, call);
                if (call.result && call.result !== "Delivering") {
                    return;
                }
            }
        } catch {
            // signed out, or the service is away: the link below it still works
        }
    }
    setTimeout(() => wait(card), 2000);
}

function show(card, { client, result, message_url }) {
    const by = client ? ` by ${client}` : "";
    card.querySelector("[data-waiting]").textContent = `The first call has come${by}. ${result ? `Message: ${result}.` : ""}`;
    card.querySelector("[data-hint]").hidden = true;
    card.className = "sb-note sb-note-success";
    const link = card.querySelector("[data-message]");
    link.hidden = !message_url;
    link.href = message_url;
}
