// Shows the values of a place in a chart: under the pointer, on a tap, and with the arrow keys on a focused chart.

document.addEventListener("DOMContentLoaded", prepare);
document.addEventListener("redrawn", prepare);

function prepare() {
    for (const chart of document.querySelectorAll(".chart-box > .chart-svg")) {
        const areas = [...chart.querySelectorAll(".chart-values > rect")];
        if (!areas.length) continue;
        const box = chart.parentElement;
        let tip = box.querySelector(".chart-tip");
        if (!tip) {
            tip = document.createElement("p");
            tip.className = "chart-tip";
            tip.setAttribute("role", "status");
            box.append(tip);
        }
        // The browser would show its own box besides, so the texts move out of their titles.
        const values = areas.map((area) => {
            const title = area.querySelector("title");
            title.remove();
            return title.textContent;
        });
        let shown = -1;

        const hide = () => {
            if (shown >= 0) delete areas[shown].dataset.shown;
            shown = -1;
            tip.textContent = "";
        };
        const show = (place) => {
            if (place === shown) return;
            hide();
            shown = place;
            areas[place].dataset.shown = "";
            tip.textContent = values[place];
            const area = areas[place].getBoundingClientRect();
            const whole = box.getBoundingClientRect();
            const right = area.right - whole.left + 8;
            const left = area.left - whole.left - 8 - tip.offsetWidth;
            const fitsRight = right + tip.offsetWidth <= whole.width;
            tip.style.left = `${fitsRight ? right : Math.max(left, 0)}px`;
            tip.style.top = `${area.top - whole.top}px`;
        };

        chart.setAttribute("tabindex", "0");
        chart.addEventListener("pointermove", (event) => {
            const place = areas.indexOf(event.target);
            if (place >= 0) show(place);
            else hide();
        });
        chart.addEventListener("click", (event) => {
            const place = areas.indexOf(event.target);
            if (place >= 0) show(place);
        });
        chart.addEventListener("pointerleave", hide);
        chart.addEventListener("blur", hide);
        chart.addEventListener("keydown", (event) => {
            const last = areas.length - 1;
            const places = {
                ArrowLeft: shown < 0 ? last : Math.max(shown - 1, 0),
                ArrowRight: Math.min(shown + 1, last),
                Home: 0,
                End: last,
            };
            if (event.key === "Escape") hide();
            else if (event.key in places && !event.ctrlKey && !event.metaKey && !event.altKey) {
                event.preventDefault();
                show(places[event.key]);
            }
        });
    }
}
