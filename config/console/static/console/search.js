// The search box as an editable combobox with a list, as the ARIA Authoring Practices describe it. Without scripts the
// form opens the page of results.
import { released } from "../config/released.js";

const WAIT_MS = 150; // after the last key

document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("form[data-suggest]");
    if (!form) {
        return;
    }
    const [input, list] = [form.querySelector("#search"), form.querySelector("#search-options")];
    const status = form.querySelector("#search-status");
    let timer = 0;
    let asked = 0;
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    choose(null);
    show(false);

    document.addEventListener("keydown", (event) => {
        if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
            event.preventDefault();
            input.focus();
            input.select();
        }
    });
    input.addEventListener("input", () => {
        choose(null); // what was chosen is of another term
        clearTimeout(timer);
        timer = setTimeout(ask, WAIT_MS);
    });
    input.addEventListener("keydown", (event) => {
        const options = [...list.children];
        const place = options.indexOf(chosen());
        if (event.key === "Escape") {
            if (!list.hidden) {
                event.preventDefault(); // the browser would also empty the box
            }
            stop();
        } else if (event.key === "Enter" && chosen()) {
            event.preventDefault();
            open(chosen());
        } else if (["ArrowDown", "ArrowUp"].includes(event.key) && options.length) {
            event.preventDefault();
            show(true);
            const step = event.key === "ArrowDown" ? 1 : -1;
            choose(options.at((place < 0 && step < 0 ? 0 : place) + step) ?? options[0]);
        }
    });
    list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the box
    list.addEventListener("click", (event) => {
        const option = event.target.closest("[role=option]");
        if (option) {
            open(option);
        }
    });
    form.addEventListener("focusout", (event) => {
        if (!form.contains(event.relatedTarget)) {
            stop();
        }
    });

    async function ask() {
        const mine = ++asked;
        try {
            const answer = await fetch(form.dataset.suggest, { method: "POST", body: new FormData(form) });
            const is_known = answer.ok && !answer.redirected;
            const text = is_known ? await answer.text() : "";
            await released;
            if (mine === asked && !is_known) {
                stop();
            } else if (mine === asked) {
                list.innerHTML = text;
                const number = list.children.length;
                const found = number === 1 ? "1 result" : number ? `${number} results` : "Nothing found";
                status.textContent = input.value.trim().length < 2 ? "" : found;
                list.dataset.empty = number ? "" : status.textContent;
                choose(null);
                show(Boolean(status.textContent));
            }
        } catch {
            stop();
        }
    }

    // Hide the list, and show no answer that arrives later. Enter still opens the page of results.
    function stop() {
        clearTimeout(timer);
        asked++;
        status.textContent = "";
        show(false);
    }

    function chosen() {
        return list.querySelector("[aria-selected=true]");
    }

    function choose(option) {
        chosen()?.setAttribute("aria-selected", "false");
        option?.setAttribute("aria-selected", "true");
        option?.scrollIntoView({ block: "nearest" });
        input.setAttribute("aria-activedescendant", option?.id ?? "");
    }

    function show(is_shown) {
        list.hidden = !is_shown;
        input.setAttribute("aria-expanded", is_shown && list.children.length > 0);
    }

    function open(option) {
        if ("posted" in option.dataset) {
            const own = form.action;
            form.action = option.dataset.url;
            form.submit();
            form.action = own; // the person may stay on this page
        } else {
            location.assign(option.dataset.url);
        }
    }
});
