// Show a call and its answer: status, time, what to do about an error, body and headers.
import { element } from "./elements.js";

const MOST_BYTES = 200_000; // of a body that is read and shown
const TEXTS = /^(text\/|application\/([\w.+-]*json|x-ndjson))/;

// Read at most MOST_BYTES of the body, and return them with whether there were more.
export async function bytesOf(answer) {
    const reader = answer.body?.getReader();
    const parts = [];
    let [size, isWhole] = [0, true];
    while (reader) {
        const { done, value } = await reader.read();
        if (done) {
            break;
        }
        parts.push(value);
        size += value.length;
        if (size > MOST_BYTES) {
            isWhole = false;
            await reader.cancel();
            break;
        }
    }
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer()).slice(0, MOST_BYTES);
    return { bytes, isWhole };
}

export function shown({ request, answer, bytes, isWhole, milliseconds, pages }) {
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    const status = element("span", { className: answer.ok ? "status good" : "status", textContent: answer.status });
    const words = answer.statusText ? ` ${answer.statusText}` : "";
    return [
        element("p", { className: "result" }, "Response ", status, `${words} in ${milliseconds} ms`),
        answer.status >= 400 ? help(answer) : links(pages, bytes),
        ...body(answer.headers.get("Content-Type") ?? "", bytes, isWhole),
        folded("Response headers", headers),
        folded("Request that was sent", request),
    ];
}

// An error names its entry on this page, which has its fix.
function help(answer) {
    const anchor = answer.headers.get("Link")?.match(/#(errors-[a-z0-9-]+)>/)?.[1];
    const entry = anchor && document.getElementById(anchor);
    if (!entry) {
        return null;
    }
    const link = element("a", { href: entry.querySelector("a.more").href, textContent: "About this error" });
    return element("p", { className: "what-to-do" }, `${entry.querySelector(".fix").textContent} `, link);
}

function links(pages, bytes) {
    let id;
    try {
        id = JSON.parse(new TextDecoder().decode(bytes)).id;
    } catch {
        return null; // not JSON, so it has no page
    }
    if (!id || !pages.length) {
        return null;
    }
    const made = pages.flatMap(([title, url]) => [
        element("a", { href: url.replace("{id}", encodeURIComponent(id)), target: "_blank", textContent: title }),
        " ",
    ]);
    return element("p", {}, ...made);
}

function body(type, bytes, isWhole) {
    if (!bytes.length) {
        return [element("p", { className: "quiet", textContent: "The response has no body." })];
    }
    const note = isWhole ? null : `Only the first ${MOST_BYTES.toLocaleString("en-GB")} bytes are shown.`;
    if (TEXTS.test(type)) {
        const text = new TextDecoder().decode(bytes);
        const pre = element("pre", { tabIndex: 0, className: "body", "aria-label": "Body of the response" });
        pre.textContent = isWhole && type.includes("json") && !type.includes("ndjson") ? pretty(text) : text;
        return [pre, note && element("p", { className: "quiet", textContent: note })];
    }
    if (type.startsWith("image/") && isWhole) {
        const picture = element("img", { className: "body", alt: "The picture in the response" });
        picture.src = `data:${type};base64,${btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""))}`;
        return [picture];
    }
    const size = isWhole ? bytes.length.toLocaleString("en-GB") : `more than ${MOST_BYTES.toLocaleString("en-GB")}`;
    return [element("p", { textContent: `The body has ${size} bytes of ${type}, which this page does not show.` })];
}

function pretty(text) {
    try {
        return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
        return text;
    }
}

function folded(title, text) {
    const pre = element("pre", { tabIndex: 0, "aria-label": title, textContent: text });
    return element("details", {}, element("summary", { textContent: title }), pre);
}
