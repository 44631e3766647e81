// Additions to pages that also work without scripts: copy buttons, self-selecting fields, and keyboard control.

document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("[data-copy]").forEach((button) => { button.hidden = false; });
    for (const field of document.querySelectorAll("[data-select-all]")) {
        field.addEventListener("focus", () => field.select());
    }
    for (const cell of document.querySelectorAll("td[data-label], th[data-label]")) {
        cell.dataset.label = cell.dataset.label.charAt(0).toUpperCase() + cell.dataset.label.slice(1);
    }
    for (const part of document.querySelectorAll("fieldset.module:not(:has(> legend))")) {
        part.setAttribute("role", "none"); // a group without a name is noise
    }
    for (const input of document.querySelectorAll("input[type=file]")) {
        input.hasChangeListener = true; // otherwise the theme copies the name of the file to a text field that our forms lack
    }
});

// The menu of a narrow screen holds the focus while it is open. Escape and a click elsewhere close it, and open lists.

document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
        for (const list of open_lists()) {
            list.open = false;
            list.querySelector("summary").focus();
        }
        show_menu(false);
    }
});

document.addEventListener("click", (event) => {
    if (event.target.matches("[data-copy]")) {
        copy(event.target);
    }
    for (const list of open_lists()) {
        list.open = list.contains(event.target);
    }
    const is_opener = Boolean(event.target.closest(".sb-menu-opener"));
    if (is_opener || event.target.closest(".sb-menu-close")) {
        event.preventDefault();
    }
    if (is_opener || !event.target.closest(".sb-menu") || event.target.closest(".sb-menu-close")) {
        show_menu(is_opener);
    }
});

matchMedia("(min-width: 80rem)").addEventListener("change", () => show_menu(false)); // all of it is in sight

function open_lists() {
    return document.querySelectorAll(":is(details.sb-switcher, details.sb-person)[open]");
}

function show_menu(is_open) {
    const menu = document.getElementById("menu");
    const opener = document.querySelector(".sb-menu-opener");
    if (!menu || !opener || menu.hasAttribute("data-open") === is_open) {
        return;
    }
    menu.toggleAttribute("data-open", is_open);
    opener.setAttribute("aria-expanded", is_open);
    for (const part of [...menu.parentElement.children, ...document.body.children]) {
        part.inert = is_open && !part.contains(menu);
    }
    (is_open ? menu.querySelector(".sb-menu-close") : opener).focus();
}

async function copy(button) {
    const source = document.getElementById(button.dataset.copy);
    const text = source.value ?? source.textContent;
    button.dataset.word ??= button.textContent;
    try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
        document.getElementById("search-status").textContent = "Copied"; // screen readers announce it
    } catch {
        select(source); // browsers allow the clipboard only on https and localhost, so the user presses Ctrl+C
        button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => { button.textContent = button.dataset.word; }, 2000);
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

// On paper a frame cannot scroll, so the whole email is printed as plain text instead.
for (const [event, is_printed] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => {
        for (const plain of document.querySelectorAll("iframe + details")) {
            plain.parentElement.classList.toggle("sb-printed", is_printed);
            plain.open = is_printed;
        }
    });
}
