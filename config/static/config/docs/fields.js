// The fields of a call: one for each parameter of an operation, and its body.
import { element } from "./elements.js";

const NOT_SENT = ["Content-Encoding"]; // the page sends bodies uncompressed
let number = 0;

// Return a label with a field. `input` is the field; description: a text below the label
export function labelled(text, input, description = "") {
    input.id ||= `try-${++number}`;
    const about = description && element("span", { className: "hint", id: `${input.id}-hint`, textContent: description });
    if (about) {
        input.setAttribute("aria-describedby", about.id);
    }
    return element("div", { className: "field" }, element("label", { htmlFor: input.id, textContent: text }), about, input);
}

// Return the fields of an operation of the OpenAPI document: {required, optional, sent()}.
export function fieldsOf(operation) {
    const parameters = (operation.parameters ?? []).filter((one) => !NOT_SENT.includes(one.name));
    const fields = parameters.map((parameter) => ({ parameter, input: inputOf(parameter) }));
    const [type, example] = bodyOf(operation);
    const body = type ? element("textarea", { value: example, spellcheck: false, className: "source" }) : null;
    if (body) {
        body.rows = Math.min(example.split("\n").length + 1, 16);
    }
    const line = ({ parameter, input }) => labelled(parameter.name, input, hintOf(parameter));
    return {
        required: fields.filter(({ parameter }) => parameter.required).map(line),
        optional: fields.filter(({ parameter }) => !parameter.required).map(line),
        body: body && labelled(`Body (${type})`, body),
        bodyInput: body,
        inputOf: (name) => fields.find(({ parameter }) => parameter.name === name)?.input,
        sent: () => ({ ...placed(fields), type, body: body?.value }),
    };
}

function inputOf({ name, schema, required }) {
    const value = required ? String(schema.examples?.[0] ?? "") : "";
    const choices = schema.enum ?? ("const" in schema ? [schema.const] : null);
    if (choices) {
        const options = (required ? choices : ["", ...choices]).map((one) => new Option(one, one, false, one === value));
        return element("select", { name }, ...options);
    }
    if (schema.type === "array") {
        return element("textarea", { name, rows: 2, spellcheck: false });
    }
    return element("input", { name, value, required: Boolean(required), autocomplete: "off", spellcheck: false });
}

function hintOf({ schema, in: place }) {
    const choices = schema.type === "array" && schema.items?.enum ? ` Values: ${schema.items.enum.join(", ")}.` : "";
    return (schema.type === "array" ? `One value on each line.${choices}` : "") + (place === "header" ? "Header." : "");
}

// Return the media type of the body and its example.
function bodyOf(operation) {
    const content = operation.requestBody?.content ?? {};
    const type = "application/json" in content ? "application/json" : Object.keys(content)[0];
    const [example] = Object.values(content[type]?.examples ?? {});
    const value = example?.value;
    return [type, typeof value === "string" ? value : JSON.stringify(value, null, 2)];
}

// Return what the fields add to a call: values of the path, the query and headers.
function placed(fields) {
    const [path, query, headers] = [{}, new URLSearchParams(), {}];
    for (const { parameter, input } of fields) {
        const values = parameter.schema.type === "array" ? input.value.split("\n") : [input.value];
        for (const value of values.filter((one) => one.trim())) {
            if (parameter.in === "path") {
                path[parameter.name] = value;
            } else if (parameter.in === "query") {
                query.append(parameter.name, value);
            } else {
                headers[parameter.name] = value;
            }
        }
    }
    return { path, query, headers };
}
