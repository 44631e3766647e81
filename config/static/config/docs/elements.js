// Make an element: element("a", { href: "#x", textContent: "X" }, children…). Attributes with a hyphen are set as such.
export function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
        if (key.includes("-")) {
            made.setAttribute(key, value);
        } else {
            made[key] = value;
        }
    }
    made.append(...children.filter((child) => child !== null));
    return made;
}
