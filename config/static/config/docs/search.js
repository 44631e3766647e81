// The search box of the documentation: an editable combobox with a list, as the ARIA Authoring Practices describe it. The
// index is one file, loaded when the box is first used, so that the search needs no server after that. "/" goes to the box.

const MOST = 12; // results
const form = document.querySelector("form.search");
const [input, list, status] = ["input", "ul", "[role=status]"].map((selector) => form.querySelector(selector));
let index; // a promise of the entries: title, second line, kind, URL

form.hidden = false;
input.addEventListener("focus", load);
input.addEventListener("input", search);
input.addEventListener("keydown", (event) => {
    const options = [...list.children];
    const place = options.indexOf(chosen());
    if (event.key === "Escape") {
        show(false);
    } else if (["ArrowDown", "ArrowUp"].includes(event.key) && options.length) {
        event.preventDefault();
        const next = place + (event.key === "ArrowDown" ? 1 : -1);
        choose(options[(next + options.length) % options.length]);
        show(true);
    }
});
form.addEventListener("submit", (event) => {
    event.preventDefault();
    open(chosen() ?? list.firstElementChild);
});
form.addEventListener("focusout", ({ relatedTarget }) => form.contains(relatedTarget) || show(false));
list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the box
list.addEventListener("click", ({ target }) => open(target.closest("[role=option]")));
document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest("input, textarea, select")) {
        event.preventDefault();
        input.focus();
    }
});

function load() {
    index ??= fetch(form.dataset.index)
        .then((answer) => answer.json())
        .catch(() => (index = undefined)); // the next letter tries again
    return index;
}

async function search() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const entries = (await load()) ?? [];
    const found = words.length ? entries.map((entry) => [rank(entry, words), entry]).filter(([rank]) => rank) : [];
    found.sort(([one], [other]) => other - one); // stable: the best kinds stay first
    list.replaceChildren(...found.slice(0, MOST).map(([, entry], number) => option(entry, number)));
    const nothing = index ? "Nothing found" : "The search could not be loaded. Check the connection.";
    status.textContent = !words.length ? "" : found.length ? `${found.length} results` : nothing;
    list.dataset.empty = found.length ? "" : status.textContent;
    input.setAttribute("aria-activedescendant", "");
    show(words.length > 0);
}

// Return 0 if a word is missing, and more for a title that equals or begins with what was typed.
function rank([title, second, kind], words) {
    const [name, all] = [title.toLowerCase(), `${title} ${second} ${kind}`.toLowerCase()];
    if (!words.every((word) => all.includes(word))) {
        return 0;
    }
    const typed = words.join(" ");
    return name === typed ? 4 : name.startsWith(typed) ? 3 : words.every((word) => name.includes(word)) ? 2 : 1;
}

function option([title, second, kind, url], number) {
    const made = document.createElement("li");
    made.setAttribute("role", "option");
    made.id = `search-option-${number}`;
    made.dataset.url = form.dataset.docs + url;
    for (const [name, text] of Object.entries({ strong: title, span: second, em: kind })) {
        made.append(Object.assign(document.createElement(name), { textContent: text }), " ");
    }
    return made;
}

function chosen() {
    return list.querySelector("[aria-selected=true]");
}

function choose(option) {
    chosen()?.removeAttribute("aria-selected");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option.id);
}

function show(isShown) {
    list.hidden = !isShown;
    input.setAttribute("aria-expanded", isShown && list.children.length > 0);
}

function open(option) {
    if (option) {
        show(false);
        input.blur();
        location.assign(option.dataset.url);
    }
}
