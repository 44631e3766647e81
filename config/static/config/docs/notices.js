// What a call with a key does: a red line and a box to tick before a call that is real, and the templates of the service.
import { describe, templates, valueOf } from "./credentials.js";
import { element } from "./elements.js";
import { labelled } from "./fields.js";
import { released } from "../released.js";

const TYPES = {
    test: "With a test key nothing is really sent.",
    team: "This sends for real, to people in the team and the guest list.",
    live: "This sends for real.",
    unknown: "This may send for real: the page could not read the type of the key.",
};
const accepted = new Set(); // keys with which the person has agreed to send for real

// Show what a call with this key does, with a box to tick before a call that is real. Return when it is shown.
export async function note(notice, variable, fields, place) {
    const value = valueOf(variable);
    if (!value) {
        notice.replaceChildren();
        notice.described = "";
        return;
    }
    if (notice.described === value) {
        return notice.shown;
    }
    notice.described = value;
    notice.shown = variable === "DATA_TOKEN" ? noteToken(notice, place, value) : noteKey(notice, fields, place, value);
    return notice.shown;
}

async function noteToken(notice, { dataset }, value) {
    await released;
    if (notice.described !== value) {
        return; // another token was entered meanwhile
    }
    const isWrite = dataset.method !== "get";
    notice.replaceChildren(...(isWrite ? warning("This changes the data set for real.", "I want to change it", "") : []));
}

async function noteKey(notice, fields, { dataset }, value) {
    const key = await describe();
    await released;
    if (notice.described !== value) {
        return; // another key was entered meanwhile
    }
    if (!key.type) {
        notice.described = ""; // so that the next call asks again
    }
    const name = key.type ? ` Key ${key.name} of ${key.service.name}.` : "";
    const unknown = key.isRefused ? "The service refuses this key. A call shows why." : TYPES.unknown;
    const text = key.type ? TYPES[key.type] + name : unknown;
    const isReal = key.type !== "test" && !key.isRefused;
    notice.replaceChildren(
        ...(isReal ? warning(text, "I want to make real calls with this key", value) : [element("p", { textContent: text })]),
    );
    if (key.type) {
        await offerTemplates(notice, fields, dataset);
    }
}

function warning(text, label, value) {
    const box = element("input", { type: "checkbox", required: true, checked: accepted.has(value) });
    box.addEventListener("change", () => value && accepted[box.checked ? "add" : "delete"](value));
    const tick = element("label", { className: "tick" }, box, ` ${label}`);
    return [element("p", { className: "real", textContent: text }), tick];
}

// If the call names a template, let the person choose one of their service. The example's is kept if it is one of them.
async function offerTemplates(notice, fields, { path }) {
    const input = fields.inputOf("template_id");
    const inBody = () => {
        try {
            return JSON.parse(fields.bodyInput.value);
        } catch {
            return null; // the person is still typing
        }
    };
    const chosen = input ? input.value : inBody()?.template_id;
    if (!chosen) {
        return;
    }
    const wanted = path.match(/\/(sms|email)$/)?.[1];
    const all = (await templates()).filter((one) => !wanted || one.type === wanted);
    const select = element("select", {}, ...all.map((one) => new Option(`${one.name} (${one.type})`, one.id)));
    const choose = (id) => {
        const [template, body] = [all.find((one) => one.id === id), inBody()];
        if (input) {
            input.value = id;
        }
        if (body && ("personalisation" in body || !input)) {
            const names = Object.keys(template.personalisation ?? {});
            const given = body.personalisation ?? {};
            const values = Object.fromEntries(names.map((name) => [name, given[name] ?? name]));
            const next = { ...body, ...(input ? {} : { template_id: id }) };
            if ("personalisation" in body) {
                next.personalisation = values;
            }
            fields.bodyInput.value = JSON.stringify(next, null, 2);
        }
    };
    await released;
    if (all.length) {
        notice.append(labelled("Template", select));
        select.addEventListener("change", () => choose(select.value));
        if (all.some((one) => one.id === chosen)) {
            select.value = chosen;
        } else {
            choose(select.value);
        }
    }
}
