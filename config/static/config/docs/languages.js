// The tabs of the examples: a choice applies to all examples of the page, and a button copies the shown program.

for (const programs of document.querySelectorAll(".programs")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.className = "copy";
    button.addEventListener("click", () => copy(programs, button));
    if (navigator.clipboard) {
        programs.append(button);
    }
}

document.addEventListener("change", ({ target }) => {
    if (target.matches(".programs > input")) {
        const top = target.getBoundingClientRect().top;
        for (const other of document.querySelectorAll(`.programs > input[value="${target.value}"]`)) {
            other.checked = true;
        }
        scrollBy(0, target.getBoundingClientRect().top - top); // examples above have another height now
    }
});

async function copy(programs, button) {
    const { value } = programs.querySelector("input:checked");
    await navigator.clipboard.writeText(programs.querySelector(`pre.${value}`).textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
}
