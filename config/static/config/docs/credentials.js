// The API key and the data set token of the person. They are kept in the memory of this page only: loading the page again
// forgets them.

const UUID_LENGTH = 36;
const values = { NOTIFY_API_KEY: "", DATA_TOKEN: "" }; // by the variable that the examples use
const facts = new Map(); // the whole text of a key → its description by the API

export const LABELS = { NOTIFY_API_KEY: "API key", DATA_TOKEN: "Access token of the data set" };
export const maySign = Boolean(globalThis.crypto?.subtle); // browsers offer it to https and this machine only

export function valueOf(variable) {
    return values[variable];
}

export function keep(variable, value) {
    values[variable] = value.trim();
    document.dispatchEvent(new CustomEvent("credential", { detail: { variable } }));
}

// Return the header of a call: the token of a data set as it is, or a token for 30 seconds, signed with the key; null if
// there is none.
export async function authorization(variable) {
    const value = values[variable];
    if (!value) {
        return null;
    }
    return `Bearer ${variable === "NOTIFY_API_KEY" ? await signed(value) : value}`;
}

// Return {type, name, service} of the key as the API describes it; {isRefused: true} if the API refuses the key, so that
// no call with it can do anything; or {} if that is not known.
export async function describe() {
    const key = values.NOTIFY_API_KEY;
    if (!facts.has(key)) {
        const { status, body } = await read("/v2/api-key");
        const found = body ?? { isRefused: [401, 403].includes(status) };
        if (!body) {
            return found; // the next form asks again
        }
        facts.set(key, found);
    }
    return facts.get(key);
}

// Return the templates of the service of the key.
export async function templates() {
    return (await read("/v2/templates")).body?.templates ?? [];
}

async function read(path) {
    try {
        const headers = { Authorization: await authorization("NOTIFY_API_KEY") };
        const answer = await fetch(path, { headers, credentials: "omit", signal: AbortSignal.timeout(10_000) });
        return { status: answer.status, body: answer.ok ? await answer.json() : null };
    } catch {
        return {}; // no connection: the call itself shows what is wrong
    }
}

async function signed(key) {
    const text = new TextEncoder();
    const head = base64url(text.encode(JSON.stringify({ typ: "JWT", alg: "HS256" })));
    const service = key.slice(-(2 * UUID_LENGTH + 1), -(UUID_LENGTH + 1));
    const claims = base64url(text.encode(JSON.stringify({ iss: service, iat: Math.floor(Date.now() / 1000) })));
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const secret = await crypto.subtle.importKey("raw", text.encode(key.slice(-UUID_LENGTH)), algorithm, false, ["sign"]);
    const signature = await crypto.subtle.sign("HMAC", secret, text.encode(`${head}.${claims}`));
    return `${head}.${claims}.${base64url(new Uint8Array(signature))}`;
}

function base64url(bytes) {
    const text = btoa(String.fromCharCode(...bytes));
    return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
