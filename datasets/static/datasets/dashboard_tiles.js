// Moves tiles with the mouse. The buttons of each tile do the same without this script.

document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("form[data-places]");
    if (!form) return;
    const lines = [...document.querySelectorAll("[data-tile]")];
    let moved = null;

    for (const [place, line] of lines.entries()) {
        line.draggable = true;
        line.addEventListener("dragstart", (event) => {
            moved = line;
            event.dataTransfer.effectAllowed = "move";
            event.dataTransfer.setData("text/plain", line.dataset.tile);
        });
        line.addEventListener("dragend", () => {
            moved = null;
            for (const one of lines) delete one.dataset.over;
        });
        line.addEventListener("dragover", (event) => {
            if (!moved || moved === line) return;
            event.preventDefault();
            line.dataset.over = "";
        });
        line.addEventListener("dragleave", () => delete line.dataset.over);
        line.addEventListener("drop", (event) => {
            if (!moved || moved === line) return;
            event.preventDefault();
            form.elements.tile.value = moved.dataset.tile;
            form.elements.place.value = place;
            form.submit();
        });
    }
});
