// Nothing typed is lost: changed fields are kept in this tab until their form is saved or the person signs out. They are
// there again after a sign-in, a lost connection, another language or template, or a way back. Leaving a changed form asks.
import { released } from "../config/released.js";

const KEPT = `:is(input, textarea, select):not([type="hidden"], [type="password"], [type="file"], [type="submit"],
    [readonly], [autocomplete="one-time-code"])`;
const ON_THE_WAY = ["/admin/login/", "/admin/confirm/"]; // they lead back to the form
const OF_ROW = ["id", "tile", "name", "number"]; // parameters that choose what the form is about
const OF_POSTED_ROW = `:is([name="open"], [name="kept"], [name="_selected_action"])[type="hidden"]`; // the same, in a form
const known_forms = new WeakSet();
const WARN_SECONDS = 120; // before the session ends

window.addEventListener("load", () => {
    const frame = document.getElementById("menu");
    const prefix = `typed ${frame?.dataset.person} `;
    if (!frame || ON_THE_WAY.includes(location.pathname)) {
        return;
    }
    frame.querySelector("[action$='/logout/']")?.addEventListener("submit", () => sessionStorage.clear());
    const sent = sessionStorage.getItem("sent");
    forget(prefix, sent);
    keep_all(prefix, sent);
    document.addEventListener("redrawn", () => keep_all(prefix, null)); // forms that a script has inserted
    const forms = kept_forms();
    if (forms.length) {
        warn_later(forms[0], frame.dataset.sessionSeconds);
    }
});

function kept_forms() {
    const forms = [...document.querySelectorAll("#content form[method=post]:not([role=search], #changelist-form)")];
    return forms.filter((form) => form.querySelector(KEPT));
}

function keep_all(prefix, sent) {
    const query = new URLSearchParams(location.search);
    const of_page = OF_ROW.map((name) => query.get(name) ?? "").join(" ");
    kept_forms().forEach((form, number) => {
        if (!known_forms.has(form)) {
            known_forms.add(form);
            const posted = [...form.querySelectorAll(OF_POSTED_ROW)].map(({ value }) => value.split(":")[0]); // unsigned
            const key = `${prefix}${location.pathname} ${number} ${of_page} ${posted.join(" ")}`;
            keep(form, key, key === sent);
        }
    });
}

// Forget what other people typed in this tab, and the form that the last page has sent if the server has saved it: it
// says so, or has redirected to another page. A person who goes to another page after an error loses nothing.
function forget(prefix, sent) {
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

// starts: hidden fields that name the state in which the form was opened. A save that another person has overtaken then
// shows both.
function keep(form, key, is_answer) {
    const starts = [...form.querySelectorAll("[data-start]")];
    const fresh = starts.map((field) => field.value);
    const stored = JSON.parse(sessionStorage.getItem(key)) ?? { values: {}, starts: null };
    let values = stored.values;
    const known = new Set(Object.keys(values)); // the server may have put their values into the form
    const restored = new WeakSet();
    let note = null;
    let is_leaving = false;
    if (is_answer && document.querySelector("#menu[data-posted]")) {
        fields().filter((field) => field.dataset.keep && field.value).forEach((field) => known.add(name_of(field)));
        store(); // the answer to this form has the newest values, and those that the server has put in
        fields().forEach((field) => restored.add(field));
    } else {
        restore();
    }
    document.addEventListener("redrawn", restore); // fields of a new placeholder

    form.addEventListener("input", store);
    form.addEventListener("change", store);
    document.addEventListener("submit", (event) => {
        const to = [form, event.target].map((one) => one.action);
        const is_beside = !event.target.querySelector(KEPT) && to.every((one) => one === location.href); // Save, by a preview
        if ((event.target === form || is_beside) && !event.defaultPrevented && event.submitter?.formTarget !== "_blank") {
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

    // Values of fields that another language or template has stay.
    function store() {
        const here = new Set(fields().map(name_of));
        const elsewhere = Object.entries(values).filter(([name]) => !here.has(name));
        values = { ...Object.fromEntries(elsewhere), ...changed() };
        if (Object.keys(values).length) {
            sessionStorage.setItem(key, JSON.stringify({ values, starts: starts.map((field) => field.value) }));
        } else {
            sessionStorage.removeItem(key);
        }
    }

    function restore() {
        const arrived = fields().filter((field) => !restored.has(field));
        arrived.forEach((field) => restored.add(field));
        Object.keys(values).forEach((name) => known.add(name));
        const back = arrived.filter((field) => name_of(field) in values);
        const differing = back.filter((field) => String(value_of(field)) !== String(values[name_of(field)]));
        const typed = values;
        for (const field of differing) {
            put(field, typed[name_of(field)]);
        }
        if (!differing.length || note) {
            return;
        }
        starts.forEach((field, number) => { field.value = stored.starts?.[number] ?? field.value; });
        note = say(form, "What you typed here is back.", "Discard it", () => {
            form.reset();
            starts.forEach((field, number) => { field.value = fresh[number]; });
            known.clear();
            values = {};
            fields().forEach((field) => field.dispatchEvent(new Event("input", { bubbles: true })));
            sessionStorage.removeItem(key);
            note.remove();
            note = null;
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

function warn_later(form, seconds) {
    setTimeout(() => released.then(() => warn(form, seconds)), (seconds - WARN_SECONDS) * 1000);
}

function warn(form, seconds) {
    const text = "You will be signed out in 2 minutes. What you typed stays in this tab.";
    const note = say(form, text, "Stay signed in", async () => {
        const search = document.querySelector("form[data-suggest]");
        const sent = { method: "POST", body: new FormData(search) }; // only a POST of a script extends the session
        const answer = await fetch(search.dataset.suggest, sent).catch(() => null);
        if (answer?.ok && !answer.redirected) {
            note.remove();
            warn_later(form, seconds);
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
