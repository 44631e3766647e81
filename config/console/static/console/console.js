// Additions to pages that also work without scripts: copy buttons, self-selecting fields, and keyboard control.

document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("[data-copy]")) {
        button.hidden = false;
        button.addEventListener("click", () => copy(button));
    }
    for (const field of document.querySelectorAll("[data-select-all]")) {
        field.addEventListener("focus", () => field.select());
    }
    for (const cell of document.querySelectorAll("td[data-label], th[data-label]")) {
        cell.dataset.label = cell.dataset.label.charAt(0).toUpperCase() + cell.dataset.label.slice(1);
    }
    document.getElementById("nav-sidebar-inner")?.setAttribute("aria-label", "Menu");
    for (const part of document.querySelectorAll(".simplebar-content-wrapper")) {
        part.setAttribute("aria-label", part.closest("#nav-sidebar") ? "Menu, scrollable" : "Page, scrollable");
    }
    for (const control of document.querySelectorAll(MOUSE_ONLY)) {
        press_by_keyboard(control);
    }
    for (const input of document.querySelectorAll("input[type=file]")) {
        input.hasChangeListener = true; // otherwise the theme copies the name of the file to a text field that our forms lack
    }
    for (const icon of document.querySelectorAll(".material-symbols-outlined:not([role])")) {
        const control = icon.closest("a, button");
        const is_its_name = control && !control.title && control.textContent.trim() === icon.textContent.trim();
        if (!is_its_name) {
            icon.setAttribute("aria-hidden", "true"); // screen readers would read the name of the icon
        }
    }
});

// Controls that the theme makes usable with a mouse only: menu, filters, account, colours.
const MOUSE_ONLY = "a[x-on\\:click]:not([href]), span[x-on\\:click], div.cursor-pointer[x-on\\:click]";

function press_by_keyboard(control) {
    control.setAttribute("role", "button");
    control.tabIndex = 0;
    if (control.getAttribute("x-on:click").startsWith("sidebar")) {
        control.setAttribute("aria-label", control.textContent.includes("close") ? "Close the menu" : "Menu");
    }
    control.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            control.click();
        }
    });
}

// Escape and a click elsewhere close the service switcher and the theme's menus.

document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") {
        return;
    }
    for (const switcher of open_switchers()) {
        switcher.open = false;
        switcher.querySelector("summary").focus();
    }
    for (const state of ["openUserLinks", "sidebarMobileOpen"]) {
        close_menu(state)?.focus();
    }
});

document.addEventListener("click", (event) => {
    for (const switcher of open_switchers()) {
        switcher.open = switcher.contains(event.target);
    }
    if (!event.target.closest("#nav-sidebar, [x-on\\:click^='sidebar']")) {
        close_menu("sidebarMobileOpen");
    }
});

function open_switchers() {
    return document.querySelectorAll("details.sb-switcher[open]");
}

// Close a menu of the theme and return the control that opens it, or return null if the menu was closed.
function close_menu(state) {
    const opener = [...document.querySelectorAll(`[x-on\\:click="${state} = !${state}"]`)].pop();
    const data = opener && window.Alpine?.$data(opener);
    if (!data?.[state]) {
        return null;
    }
    data[state] = false;
    return opener;
}

async function copy(button) {
    const source = document.getElementById(button.dataset.copy);
    const text = source.value ?? source.textContent;
    const word = button.textContent;
    try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
    } catch {
        select(source); // browsers allow the clipboard only on https and localhost, so the user presses Ctrl+C
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
