// Shows the URL of a new data set while its path is typed.

document.addEventListener("DOMContentLoaded", () => {
    for (const shown of document.querySelectorAll("[data-url-form]")) {
        const group = document.querySelector("[name=group_name]");
        const type = document.querySelector("[name=type_name]");
        const show = () => {
            shown.textContent = shown.dataset.urlForm
                .replace("<group>", group.value || "<group>")
                .replace("<type>", type.value || "<type>");
        };
        group.addEventListener("input", show);
        type.addEventListener("input", show);
        show();
    }
});
