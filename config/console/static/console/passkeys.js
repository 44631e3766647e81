// Passkeys: <form data-passkey="get" data-origin="https://…"> asks the server for options, then the browser for a passkey,
// and sends its answer as the field `credential`. "create" makes a new passkey. Without scripts, without passkeys, and at
// another origin, the button stays hidden and the element [data-passkey-note] says why.

document.addEventListener("DOMContentLoaded", () => {
    for (const form of document.querySelectorAll("form[data-passkey]")) {
        prepare(form);
    }
});

const WITHOUT_ANSWER = {
    NotAllowedError: "No passkey was used. Try again, and follow the steps that your browser shows.",
    InvalidStateError: "This device or password manager has a passkey for your account already.",
    AbortError: "No passkey was used. Try again.",
};
const FAILED = "The passkey did not work. Load this page again, or sign in another way.";

function prepare(form) {
    const note = form.querySelector("[data-passkey-note]");
    if (!window.PublicKeyCredential) {
        return;
    }
    if (location.origin !== form.dataset.origin) {
        if (note) {
            note.textContent = `Passkeys work only at ${form.dataset.origin}. Open the console there.`;
        }
        return;
    }
    note?.remove();
    const button = form.querySelector("button[type=submit]");
    button.hidden = button.disabled = false;
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        use(form, button);
    });
}

async function use(form, button) {
    button.disabled = true;
    show(form, "");
    try {
        const options = await options_for(form);
        if (options) {
            form.elements.credential.value = JSON.stringify(await answer_of(form.dataset.passkey, options));
            form.submit();
        }
    } catch (error) {
        show(form, WITHOUT_ANSWER[error.name] ?? (error instanceof Rejection ? error.message : FAILED));
    }
    button.disabled = false; // also for the browser's way back to this page
}

class Rejection extends Error {}

// Return the server's options, or null if the server answers with a page, which this function shows instead.
async function options_for(form) {
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(form.action, { method: "POST", body, headers: { "X-Requested-With": "fetch" } });
    if (answer.redirected) {
        location.reload(); // the session has ended, or the page needs a recent sign-in
        return null;
    }
    if (!answer.headers.get("Content-Type")?.startsWith("application/json")) {
        form.submit(); // the account is locked, for example
        return null;
    }
    const options = await answer.json();
    if (!answer.ok) {
        throw new Rejection(options.error);
    }
    return options;
}

async function answer_of(kind, options) {
    const publicKey = { ...options, challenge: bytes(options.challenge) };
    for (const list of ["allowCredentials", "excludeCredentials"]) {
        publicKey[list] = options[list]?.map((one) => ({ ...one, id: bytes(one.id) }));
    }
    if (kind === "create") {
        publicKey.user = { ...options.user, id: bytes(options.user.id) };
    }
    const made = await navigator.credentials[kind]({ publicKey });
    const response = { clientDataJSON: text(made.response.clientDataJSON) };
    if (kind === "create") {
        response.attestationObject = text(made.response.attestationObject);
        response.transports = made.response.getTransports?.() ?? [];
    } else {
        response.authenticatorData = text(made.response.authenticatorData);
        response.signature = text(made.response.signature);
        response.userHandle = made.response.userHandle ? text(made.response.userHandle) : null;
    }
    return { id: made.id, rawId: text(made.rawId), type: made.type, response };
}

function show(form, message) {
    const place = form.querySelector("[data-passkey-error]");
    place.textContent = message;
    place.hidden = !message;
}

// Base64 for URLs, without padding, as the server writes bytes.

function bytes(encoded) {
    const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function text(buffer) {
    const binary = String.fromCharCode(...new Uint8Array(buffer));
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
