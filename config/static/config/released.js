// A button that moves while it is pressed is not clicked. So a script that redraws a page first awaits `released`.
export let released = Promise.resolve();

const CLICK_MS = 50; // the click of a tap follows its release

document.addEventListener("pointerdown", (event) => {
    const pressed = event.target.closest("a, button, input, label, select, summary, [role=option]");
    if (event.button || !pressed || pressed.matches("select")) {
        return; // a menu or a scrollbar keeps the release for itself
    }
    released = new Promise((resolve) => {
        for (const end of ["pointerup", "pointercancel", "contextmenu"]) {
            document.addEventListener(end, () => setTimeout(resolve, CLICK_MS), { once: true });
        }
    });
});
