// What scripts add to pages that work without them: copy buttons and self-selecting fields.

document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("[data-copy]")) {
        button.hidden = false;
        button.addEventListener("click", () => copy(button));
    }
    for (const field of document.querySelectorAll("[data-select-all]")) {
        field.addEventListener("focus", () => field.select());
    }
});

async function copy(button) {
    const source = document.getElementById(button.dataset.copy);
    const text = source.value ?? source.textContent;
    const word = button.textContent;
    try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
    } catch {
        select(source); // no clipboard outside https and localhost: the person presses Ctrl+C
        button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => { button.textContent = word; }, 2000);
}

function select(source) {
    if (source.select) {
        source.select();
        return;
    }
    const range = document.createRange();
    range.selectNodeContents(source);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
}
