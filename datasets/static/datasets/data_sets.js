// What scripts add to the pages of data sets: the address while it is typed, and the first record when it comes.

document.addEventListener("DOMContentLoaded", () => {
    for (const shown of document.querySelectorAll("[data-url-form]")) {
        const group = document.querySelector("[name=group_name]");
        const type = document.querySelector("[name=type_name]");
        const show = () => {
            shown.textContent = shown.dataset.urlForm
                .replace("<group>", group.value || "<group>")
                .replace("<type>", type.value || "<type>");
        };
        group.addEventListener("input", show);
        type.addEventListener("input", show);
        show();
    }
    for (const card of document.querySelectorAll("[data-waits-at]")) {
        wait(card);
    }
});

async function wait(card) {
    if (!document.hidden) {
        try {
            const answer = await fetch(card.dataset.waitsAt, { headers: { Accept: "application/json" } });
            const { records } = await answer.json();
            if (records > 0) {
                card.querySelector("[data-waiting]").textContent = records === 1 ? "The first record has come." : `${records} records have come.`;
                return;
            }
        } catch {
            // signed out, or the service is away: the link below it still works
        }
    }
    setTimeout(() => wait(card), 2000);
}
