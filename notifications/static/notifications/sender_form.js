// A sender as a phone shows it, while it is typed.

document.addEventListener("DOMContentLoaded", () => {
    const shown = document.querySelector("[data-sender-shown]");
    const field = document.querySelector("input[name=sender]");
    if (!shown || !field) return;
    const unnamed = field.value ? "Your sender" : shown.textContent;
    field.addEventListener("input", () => {
        shown.textContent = field.value.trim() || unnamed;
    });
});
