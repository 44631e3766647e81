// Try it: each operation of the page can be called with the key or token of the person. The calls go to the host of this
// page. The forms are made from the OpenAPI document. Without scripts, or where the browser cannot sign tokens, the page
// shows the examples only.
import { bytesOf, shown } from "./answers.js";
import { LABELS, authorization, keep, maySign, valueOf } from "./credentials.js";
import { element } from "./elements.js";
import { fieldsOf, labelled } from "./fields.js";
import { note } from "./notices.js";

const WAIT_SECONDS = 60;
const HELPFUL = "application/vnd.signalbox+json"; // errors then have their fix
let openapi; // a promise of the document

for (const place of document.querySelectorAll(".try")) {
    const button = place.querySelector("button");
    place.hidden = false;
    button.addEventListener("click", () => toggle(place, button));
}

async function toggle(place, button) {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", !isOpen);
    if (isOpen || place.querySelector("form")) {
        place.querySelector(".panel").hidden = isOpen;
        return;
    }
    const panel = place.querySelector(".panel");
    panel.hidden = false;
    const { elsewhere, method, path } = place.dataset;
    if (elsewhere && new URL(elsewhere).origin !== location.origin) {
        panel.textContent = `This page calls only its own host. Send these calls to ${elsewhere} with the example.`;
        return;
    }
    try {
        openapi ??= fetch("/docs/openapi.json").then((answer) => answer.json());
        const document = await openapi;
        panel.append(form(document.paths[path][method], place));
        panel.querySelector("input").focus();
    } catch {
        openapi = undefined;
        button.setAttribute("aria-expanded", false);
        panel.textContent = "The form could not be loaded. Check the connection and try again.";
    }
}

function form(operation, place) {
    const variable = "accessToken" in operation.security[0] ? "DATA_TOKEN" : "NOTIFY_API_KEY";
    if (variable === "NOTIFY_API_KEY" && !maySign) {
        return element("p", {
            textContent: "Browsers sign tokens only on https pages and on this machine. Use the example instead.",
        });
    }
    const fields = fieldsOf(operation);
    const isOptional = variable === "DATA_TOKEN" && place.dataset.method === "get";
    const kept = "It stays in the memory of this page and is sent only with your calls.";
    const hint = isOptional ? `${kept} A public data set needs none.` : kept;
    const credential = element("input", { type: "password", autocomplete: "off", value: valueOf(variable) });
    credential.required = !isOptional;
    const notice = element("div", { className: "notice", "aria-live": "polite" });
    const answer = element("div", { className: "answer", "aria-live": "polite" });
    const send = element("button", { type: "submit", className: "primary", textContent: "Send request" });
    const more = element("details", {}, element("summary", { textContent: "Optional parameters" }), ...fields.optional);
    const made = element(
        "form",
        { autocomplete: "off" },
        labelled(LABELS[variable], credential, hint),
        notice,
        ...fields.required,
        fields.optional.length ? more : null,
        fields.body,
        element("p", {}, send),
        answer,
    );
    const look = () => note(notice, variable, fields, place);
    credential.addEventListener("change", () => keep(variable, credential.value));
    document.addEventListener("credential", ({ detail }) => {
        if (detail.variable === variable) {
            credential.value = valueOf(variable);
            look();
        }
    });
    made.addEventListener("submit", (event) => {
        event.preventDefault();
        call({ place, variable, fields, answer, send, notice, looked: look() });
    });
    look();
    return made;
}

async function call({ place, variable, fields, answer, send, notice, looked }) {
    const { method, path, pages } = place.dataset;
    send.disabled = true;
    answer.replaceChildren(element("p", { textContent: "Sending…" }));
    try {
        await looked;
        const box = notice.querySelector(":invalid");
        if (box) {
            answer.replaceChildren();
            box.reportValidity();
            return;
        }
        const sent = fields.sent();
        const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(sent.path[name] ?? ""));
        const url = filled + (sent.query.size ? `?${sent.query}` : "");
        const headers = { Accept: `${HELPFUL}, */*`, ...sent.headers, ...(sent.type ? { "Content-Type": sent.type } : {}) };
        const bearer = await authorization(variable);
        const request = [`${method.toUpperCase()} ${url}`, ...(bearer ? ["Authorization: Bearer …"] : [])];
        request.push(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`));
        if (sent.type) {
            request.push("", sent.body);
        }
        if (bearer) {
            headers.Authorization = bearer;
        }
        const started = performance.now();
        const options = { method: method.toUpperCase(), headers, body: sent.type ? sent.body : undefined };
        const signal = AbortSignal.timeout(WAIT_SECONDS * 1000);
        const got = await fetch(url, { ...options, signal, credentials: "omit", cache: "no-store", redirect: "error" });
        const read = await bytesOf(got);
        const milliseconds = Math.round(performance.now() - started);
        const shownPages = JSON.parse(pages);
        answer.replaceChildren(
            ...shown({ request: request.join("\n"), answer: got, ...read, milliseconds, pages: shownPages }).filter(Boolean),
        );
    } catch (error) {
        const text = {
            TimeoutError: `There was no response within ${WAIT_SECONDS} seconds. The service may have carried out the call.`,
            TypeError: "The call failed: there is no connection, or a header has a character that browsers do not send.",
        };
        answer.replaceChildren(element("p", { className: "real", textContent: text[error.name] ?? `${error}` }));
    } finally {
        send.disabled = false;
    }
}
