// Nothing typed is lost: changed fields are kept in this tab until their form is saved or the person signs out. They are
// there again after a sign-in, a lost connection, another language or template, or a way back. Leaving a changed form asks.
import { released } from "../config/released.js";

const KEPT = `:is(input, textarea, select):not([type="hidden"], [type="password"], [type="file"], [type="submit"],
    [readonly], [autocomplete="one-time-code"])`;
const ON_THE_WAY = ["/admin/login/", "/admin/confirm/"]; // they lead back to the form
const OF_ROW = ["id", "tile", "name", "number"]; // parameters that choose what the form is about
const WARN_SECONDS = 120; // before the session ends

window.addEventListener("load", () => {
    const frame = document.getElementById("menu");
    const prefix = `typed ${frame?.dataset.person} `;
    if (!frame || ON_THE_WAY.includes(location.pathname)) {
        return;
    }
    frame.querySelector("[action$='/logout/']")?.addEventListener("submit", () => sessionStorage.clear());
    forget(prefix);
    const forms = [...document.querySelectorAll("#content form[method=post]:not([role=search], #changelist-form)")];
    const kept = forms.filter((form) => form.querySelector(KEPT));
    const query = new URLSearchParams(location.search);
    const row = OF_ROW.map((name) => query.get(name) ?? "").join(" ");
    kept.forEach((form, number) => keep(form, `${prefix}${location.pathname} ${number} ${row}`));
    if (kept.length) {
        setTimeout(() => released.then(() => warn(kept[0])), (frame.dataset.sessionSeconds - WARN_SECONDS) * 1000);
    }
});

// Forget what other people typed in this tab, and the form that the last page has sent if the server has saved it: it
// says so, or has redirected to another page. A person who goes to another page after an error loses nothing.
function forget(prefix) {
    const sent = sessionStorage.getItem("sent");
    const is_saved = document.querySelector("[data-done], .messagelist .success");
    const path = sent?.split(" ")[2];
    const [{ redirectCount }] = performance.getEntriesByType("navigation");
    const is_led_on = redirectCount > 0 && path !== location.pathname && document.referrer.startsWith(location.origin + path);
    const is_done = sent && (is_saved || is_led_on);
    for (const key of Object.keys(sessionStorage)) {
        if ((key.startsWith("typed ") && !key.startsWith(prefix)) || (is_done && key === sent) || key === "sent") {
            sessionStorage.removeItem(key);
        }
    }
}

function keep(form, key) {
    const start = form.elements.started_from;
    const stored = JSON.parse(sessionStorage.getItem(key));
    const known = new Set(Object.keys(stored?.values ?? {})); // the server may have put their values into the form
    let is_leaving = false;
    if (document.querySelector("#menu[data-posted]")) {
        store(); // the answer to a POST has the newest values
    } else if (stored) {
        restore();
    }

    form.addEventListener("input", store);
    form.addEventListener("change", store);
    document.addEventListener("submit", (event) => {
        if (event.target === form && !event.defaultPrevented && event.submitter?.formTarget !== "_blank") {
            is_leaving = true;
            sessionStorage.setItem("sent", key);
        }
    });
    document.addEventListener("click", (event) => {
        const link = event.target.closest("a[href]");
        const is_elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || link?.target; // in another tab
        const is_switch = link?.pathname === location.pathname && link.search !== location.search;
        is_leaving ||= Boolean(is_switch && !is_elsewhere);
    });
    window.addEventListener("pageshow", () => { is_leaving = false; });
    window.addEventListener("beforeunload", (event) => {
        if (!is_leaving && Object.keys(changed()).length) {
            event.preventDefault();
        }
    });

    function fields() {
        return [...form.querySelectorAll(KEPT)].filter((field) => field.dataset.keep || field.name);
    }

    function name_of(field) {
        return (field.dataset.keep || field.name) + (is_box(field) ? ` ${field.value}` : "");
    }

    function value_of(field) {
        if (field.options) {
            return [...field.options].filter((one) => one.selected).map((one) => one.value);
        }
        return is_box(field) ? field.checked : field.value;
    }

    function first_of(field) {
        if (field.options) {
            const first = [...field.options].filter((one) => one.defaultSelected);
            return (first.length || field.multiple ? first : [...field.options].slice(0, 1)).map((one) => one.value);
        }
        return is_box(field) ? field.defaultChecked : field.defaultValue;
    }

    function changed() {
        const is_changed = (field) => known.has(name_of(field)) || String(value_of(field)) !== String(first_of(field));
        const found = fields().filter(is_changed);
        return Object.fromEntries(found.map((field) => [name_of(field), value_of(field)]));
    }

    function store() {
        const values = changed();
        if (Object.keys(values).length) {
            sessionStorage.setItem(key, JSON.stringify({ values, start: start?.value }));
        } else {
            sessionStorage.removeItem(key);
        }
    }

    function restore() {
        const back = fields().filter((field) => name_of(field) in stored.values);
        const differing = back.filter((field) => String(value_of(field)) !== String(stored.values[name_of(field)]));
        for (const field of differing) {
            put(field, stored.values[name_of(field)]);
        }
        if (!differing.length) {
            return;
        }
        if (start && stored.start) {
            start.value = stored.start; // a save that another person has overtaken shows both
        }
        const note = say(form, "What you typed here is back.", "Discard it", () => {
            form.reset();
            known.clear();
            fields().forEach((field) => field.dispatchEvent(new Event("input", { bubbles: true })));
            sessionStorage.removeItem(key);
            note.remove();
        });
    }

    function put(field, value) {
        if (field.options) {
            [...field.options].forEach((one) => { one.selected = value.includes(one.value); });
        } else if (typeof value === "boolean") {
            field.checked = value;
        } else {
            field.value = value;
        }
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.dispatchEvent(new Event("change", { bubbles: true }));
    }
}

function is_box(field) {
    return ["checkbox", "radio"].includes(field.type);
}

function warn(form) {
    const text = "You will be signed out in 2 minutes. What you typed stays in this tab.";
    const note = say(form, text, "Stay signed in", async () => {
        const answer = await fetch(location.pathname, { method: "HEAD" });
        if (answer.ok && !answer.redirected) {
            note.remove();
        }
    });
}

function say(form, text, label, act) {
    const note = document.createElement("div");
    note.className = "sb-note sb-actions sb-kept";
    note.setAttribute("role", "status");
    form.before(note);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sb-button sb-button-small";
    button.textContent = label;
    button.addEventListener("click", act);
    note.append(text, button);
    return note;
}
